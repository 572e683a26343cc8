/** The JSON-RPC errors by name, and their numbers. `error-meanings.ts` has their meanings. */
import { RpcError, standardCodes } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { nameHint } from '../lib/text/nearest-name.ts';

/** The number of each error, unless the revision or a chosen table has its own. */
export const defaultNumbers = {
  ...standardCodes,
  'resource-not-found': -32602,
  'resource-not-readable': -32603,
  'invalid-resource-uri': -32602,
  'tool-not-found': -32602,
  'invalid-tool-arguments': -32602,
  'tool-execution-failed': -32603,
  'prompt-not-found': -32602,
  'capability-not-supported': -32601,
  'sampling-not-supported': -32601,
  'user-rejected': -1,
  'url-elicitation-required': -32602,
  'header-mismatch': -32020,
  'missing-client-capability': -32021,
  'unsupported-protocol-version': -32022,
  unauthorized: -31401,
  'permission-denied': -31403,
  'insufficient-scope': -31433,
  timeout: -31408,
  'rate-limited': -31429,
  overloaded: -31503,
  'audit-unavailable': -31513,
  'server-error': -32603,
  'connection-error': -32603,
} as const satisfies Record<string, number>;

/** Why a request failed, by name. The number that it is sent as depends on the protocol version. */
export type RpcErrorReason = keyof typeof defaultNumbers;

/** Numbers that differ from the table's, for one revision or one peer. */
export type ErrorNumbers = Readonly<Partial<Record<RpcErrorReason, number>>>;

/** Messages that a peer expects instead of those of this side. */
export type ErrorTexts = Readonly<Partial<Record<RpcErrorReason, string>>>;

/** An error to throw from a handler: named here, numbered by the revision that carries it. */
export function rpcError(reason: RpcErrorReason, message: string, data?: unknown, cause?: unknown): RpcError {
  if (!Object.hasOwn(defaultNumbers, reason)) throw unknownReason(reason);
  return new RpcError(defaultNumbers[reason], message, data, reason, cause);
}

function unknownReason(reason: unknown): TenonError {
  const known = Object.keys(defaultNumbers);
  const hint =
    typeof reason === 'string'
      ? nameHint(reason, known)
      : 'Pass a name; the number is chosen by the protocol version. For a number of your own, throw new RpcError(code, message).';
  return new TenonError('invalid-argument', `rpcError: ${JSON.stringify(reason)} is not the name of an error.`, {
    hint,
  });
}

const isWireErrorName = (reason: string): reason is RpcErrorReason => Object.hasOwn(defaultNumbers, reason);

export const errorNumber = (numbers: ErrorNumbers, error: RpcError): number =>
  isWireErrorName(error.reason) ? (numbers[error.reason] ?? defaultNumbers[error.reason]) : error.code;

/** The message that the peer expects, and the data; without data, the message of this side is its `details`. */
export function expectedText(
  texts: ErrorTexts,
  { reason, message, data }: RpcError,
): { message: string; data: unknown } {
  const text = isWireErrorName(reason) ? texts[reason] : undefined;
  if (text === undefined || text === message) return { message, data };
  return { message: text, data: data === undefined ? { details: message } : data };
}

/** Whether the client may send the same request again with other credentials. */
export const isChallenge = ({ reason }: RpcError): boolean =>
  reason === 'unauthorized' || reason === 'insufficient-scope';

const statuses: Partial<Record<RpcErrorReason, number>> = {
  'parse-error': 400,
  'invalid-request': 400,
  'method-not-found': 404,
  'capability-not-supported': 404,
  'sampling-not-supported': 404,
  'header-mismatch': 400,
  'missing-client-capability': 400,
  'unsupported-protocol-version': 400,
  unauthorized: 401,
  'permission-denied': 403,
  'insufficient-scope': 403,
  'rate-limited': 429,
  overloaded: 503,
  'audit-unavailable': 503,
};

/** The HTTP status where the error is the whole answer to a POST. A handler may throw an error with any text as its reason. */
export const errorStatus = (reason: string): number => (isWireErrorName(reason) ? statuses[reason] : undefined) ?? 200;
