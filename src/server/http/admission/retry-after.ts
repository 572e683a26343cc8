/** When a refused client may try again: `retryAfterMs` in the data of an error, and the header Retry-After. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { errorStatus, type RpcErrorReason } from '../../../protocol/errors.ts';
import type { HttpHeaders, Refused } from '../message.ts';

/** Seconds, rounded up; `undefined` for an error without a time. */
function secondsOf({ data }: RpcError): number | undefined {
  const ms = isRecord(data) ? data.retryAfterMs : undefined;
  return typeof ms === 'number' && ms >= 0 && Number.isFinite(ms) ? Math.ceil(ms / 1000) : undefined;
}

/** Whether an error says that the call was not begun, and when to send it again. */
export const isRetryable = (error: RpcError): boolean => timed.has(error.reason) && secondsOf(error) !== undefined;

const timed: ReadonlySet<string> = new Set<RpcErrorReason>([
  'overloaded',
  'audit-unavailable',
  'rate-limited',
  'unauthorized',
  'insufficient-scope',
]);

/** The headers of a response that is only this error. */
export function withRetryAfter(headers: HttpHeaders, error: RpcError): HttpHeaders {
  return isRetryable(error) ? { ...headers, 'retry-after': String(secondsOf(error)) } : headers;
}

/** The same refusal for a request that carries no message, such as a GET. */
export const refusedAs = (error: RpcError): Refused => ({
  status: errorStatus(error.reason),
  text: error.message,
  headers: withRetryAfter({}, error),
});
