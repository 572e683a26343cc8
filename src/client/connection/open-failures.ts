/** Errors of opening a connection, with the name of the server. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { RequiredCapability } from '../api/options.ts';

/** The name of the server for error messages. */
export interface NamedServer {
  /** The command, or the address. */
  readonly name: string;
  /** Added to the details of such an error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Names the time limit for connecting as a whole: the last request may have had only a part of it. */
export const connectTimedOut = ({ details: { method }, cause }: TenonError, timeoutMs: number): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms of connecting.`, {
    details: { method, timeoutMs },
    ...(cause !== undefined && { cause }),
  });

/** Codes of errors about a message that do not name the server. */
const unnamed: ReadonlySet<string> = new Set([
  'batch-too-long',
  'capability-not-supported',
  'duplicate-key',
  'message-too-large',
  'invalid-message',
  'invalid-result',
  'invalid-utf8',
  'protocol-version-mismatch',
  'invalid-json',
  'nesting-too-deep',
  'parse-error',
  'too-many-values',
  'unsafe-key',
]);

/** The same failure with the name of the server, unless it has it already. */
export function withServerName(error: unknown, server: NamedServer | undefined): unknown {
  if (server === undefined) return error;
  const { name, details } = server;
  if (error instanceof RpcError) {
    const { code, message, data, reason, cause, method } = error;
    const named = RpcError.answered({ code, message: `${name} answered by an error: ${message}`, data }, reason, cause);
    return method === undefined ? named : Object.assign(named, { method });
  }
  const found = closeCause(error);
  if (!(found instanceof TenonError) || !unnamed.has(found.code) || found.details.url !== undefined) return error;
  const { code, hint, cause } = found;
  return new TenonError(code, `Cannot connect to ${name}: ${messageWithoutHint(found)}`, {
    details: { ...found.details, ...details },
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  });
}

/** The cause of a closed connection, if the error only reports that it is closed. */
export const closeCause = (error: unknown): unknown =>
  error instanceof TenonError && error.code === 'connection-closed' ? error.cause : error;

export const closedBy = (cause: Error): TenonError =>
  new TenonError('connection-closed', `The connection is closed: ${cause.message}`, { cause });

export const missingCapability = (path: RequiredCapability): TenonError =>
  new TenonError(
    'capability-not-supported',
    `The server did not declare ${path}, which the option "requiredCapabilities" requires.`,
    {
      details: { capability: path },
    },
  );
