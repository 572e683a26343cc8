/** At which step of connecting an error occurred. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { ConnectStep } from '../../lib/errors/connect-steps.ts';
import { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
import { isChallenge } from '../../protocol/errors.ts';

/** Other codes are about messages, which only `negotiate` exchanges. */
const byCode: Readonly<Partial<Record<TenonErrorCode, ConnectStep>>> = {
  'invalid-argument': 'target',
  'missing-package': 'target',
  'command-not-found': 'start',
  'spawn-failed': 'start',
  'server-exited': 'start',
  'host-not-found': 'resolve',
  'connection-refused': 'connect',
  unreachable: 'connect',
  'proxy-error': 'connect',
  'tls-failed': 'tls',
  'endpoint-not-found': 'endpoint',
  'unexpected-content': 'endpoint',
  'http-error': 'endpoint',
  'redirect-not-followed': 'endpoint',
  'server-unavailable': 'endpoint',
  unauthorized: 'authorize',
  forbidden: 'authorize',
  'authorization-failed': 'authorize',
  'sign-in-required': 'authorize',
  'capability-not-supported': 'capabilities',
  'schema-drift': 'capabilities',
};

/** The step; undefined if connecting was cancelled, or the error is not one of connecting. */
function failedStep(error: unknown): ConnectStep | undefined {
  if (error instanceof RpcError) return isChallenge(error) ? 'authorize' : 'negotiate';
  if (!(error instanceof TenonError) || error.code === 'cancelled') return undefined;
  // A server that closes HTTP connections without an answer does not speak MCP there.
  if (error.code === 'connection-closed' && error.details.url !== undefined) return 'endpoint';
  return byCode[error.code] ?? 'negotiate';
}

/** The same error, which names its step. */
export function withStep(error: unknown): unknown {
  const step = failedStep(error);
  if (step !== undefined) (error as { step?: ConnectStep }).step = step;
  return error;
}
