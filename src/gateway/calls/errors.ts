/** The error for a caller whose call to an upstream fails: nothing that belongs to another caller, and no challenge. */
import { outcomeOf } from '../../client/retry/failure-outcome.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { notStartedData, outcomeLostData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { ChangeUri } from '../catalogue/uris.ts';
import { OpenFailure } from '../connections/open-connection.ts';

/** Errors about the credentials that the gateway has sent. As challenges they would ask the caller for others. */
const aboutCredentials: ReadonlySet<string> = new Set([
  'unauthorized',
  'insufficient-scope',
  'authorization-failed',
  'forbidden',
  'sign-in-required',
]);

/** Errors about what the gateway itself has sent. */
const aboutConnection: ReadonlySet<string> = new Set(['unsupported-protocol-version', 'header-mismatch']);

/** An error of an upstream keeps its code, message and data. */
export function callerError(upstream: string, error: unknown, outward: ChangeUri): unknown {
  if (error instanceof RpcError) return error.fromPeer ? ofUpstream(upstream, error, outward) : error;
  if (error instanceof OpenFailure)
    return (
      foundByGateway(error.cause) ??
      (isAboutCredentials(error.cause) ? refusedCredentials(upstream) : unreachable(upstream))
    );
  return error instanceof TenonError ? ofConnection(upstream, error) : error;
}

/** The gateway itself has found what the caller lacks, such as an account at the upstream: its error says so. */
function foundByGateway(error: unknown): RpcError | undefined {
  if (!(error instanceof TenonError) || !isAboutCredentials(error) || !('upstream' in error.details)) return undefined;
  const { connectUrl } = error.details;
  const data = typeof connectUrl === 'string' ? { ...notStartedData, connectUrl } : notStartedData;
  return rpcError('connection-error', messageWithoutHint(error), data);
}

const isAboutCredentials = (error: unknown): boolean =>
  (error instanceof TenonError && aboutCredentials.has(error.code)) ||
  (error instanceof RpcError && aboutCredentials.has(error.reason));

function ofUpstream(upstream: string, { code, message, data, reason }: RpcError, outward: ChangeUri): RpcError {
  if (aboutCredentials.has(reason)) return refusedCredentials(upstream);
  if (aboutConnection.has(reason)) return unreachable(upstream);
  const isOfUri = reason === 'resource-not-found' && isRecord(data) && typeof data.uri === 'string';
  return new RpcError(code, message, isOfUri ? { ...data, uri: outward(String(data.uri)) } : data, reason);
}

function ofConnection(upstream: string, error: TenonError): unknown {
  const { code } = error;
  if (code === 'cancelled') return error;
  if (isAboutCredentials(error)) return foundByGateway(error) ?? refusedCredentials(upstream);
  if (code === 'task-not-found')
    return rpcError(
      'server-error',
      `The upstream "${upstream}" does not know the task of this call any more. It may have run.`,
      outcomeLostData,
    );
  if (code === 'task-cancelled') return rpcError('server-error', `The upstream "${upstream}" has cancelled the task.`);
  if (aboutLock.has(code)) return notApproved(upstream);
  if (code === 'timeout') return rpcError('timeout', `The upstream "${upstream}" has not answered in time.`);
  if (code === 'capability-not-supported')
    return rpcError('capability-not-supported', `The upstream "${upstream}" does not support this method.`);
  if (code === 'outcome-unknown' || outcomeOf(error) === 'unknown')
    return rpcError(
      'server-error',
      `The connection to the upstream "${upstream}" was lost during the call. It may have run.`,
      outcomeLostData,
    );
  if (code === 'invalid-request-state')
    return rpcError(
      'server-error',
      `The upstream "${upstream}" does not accept the state of this call any more. Call it again from the start.`,
    );
  if (unusable.has(code))
    return rpcError('server-error', `The upstream "${upstream}" has sent an answer that cannot be used.`);
  return unreachable(upstream);
}

/** What differs is for the operator. */
const aboutLock: ReadonlySet<string> = new Set(['lock-mismatch', 'invalid-lock', 'store-failed']);

const unusable: ReadonlySet<string> = new Set([
  'invalid-result',
  'invalid-message',
  'message-too-large',
  'nesting-too-deep',
  'list-too-long',
  'unexpected-content',
]);

const unreachable = (upstream: string): RpcError =>
  rpcError('connection-error', `The upstream "${upstream}" is not reachable.`, notStartedData);

const notApproved = (upstream: string): RpcError =>
  rpcError('connection-error', `The upstream "${upstream}" is not as it was approved.`, notStartedData);

const refusedCredentials = (upstream: string): RpcError =>
  rpcError(
    'connection-error',
    `The upstream "${upstream}" does not accept the credentials of the gateway.`,
    notStartedData,
  );
