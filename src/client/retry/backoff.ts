/** How long to wait before the next attempt. Pure: random numbers and time are arguments. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';

/** The delays between attempts to connect. */
export interface Backoff {
  /** The first delay is a random part of this; it doubles with each failure. */
  readonly initialDelayMs: number;
  /** The longest delay. */
  readonly maxDelayMs: number;
  /** The most attempts within any minute. */
  readonly maxAttemptsPerMinute: number;
}

/**
 * How long `Retry-After` of a server is respected.
 * @limit client
 * @beyond the client reconnects after it
 */
const maxRetryAfterMs = 5 * 60_000;
const minuteMs = 60_000;

export interface Attempts {
  /** Failures in a row; the first is 1. */
  readonly failures: number;
  /** When attempts were made, oldest first. */
  readonly times: readonly number[];
  readonly now: number;
  /** `Retry-After` of the server. */
  readonly retryAfterMs: number | undefined;
}

/** Full jitter: from zero to the whole delay, so that clients do not reconnect all at once. */
export function waitMs(
  { initialDelayMs: firstMs, maxDelayMs: maxMs, maxAttemptsPerMinute: maxPerMinute }: Backoff,
  { failures, times, now, retryAfterMs = 0 }: Attempts,
  random: () => number,
): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  // `Retry-After` is the minimum; jitter is added.
  const wanted = retryAfterMs > 0 ? Math.min(retryAfterMs, maxRetryAfterMs) + random() * firstMs : random() * whole;
  return Math.max(wanted, untilAllowed(times, now, maxPerMinute));
}

/** How long until another attempt is within the limit per minute. */
function untilAllowed(times: readonly number[], now: number, maxPerMinute: number): number {
  const oldest = times[times.length - maxPerMinute];
  return oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

/** The attempts of the last minute. */
export const recent = (times: readonly number[], now: number): number[] => times.filter((at) => at > now - minuteMs);

/** How long a server wants a client to wait, in milliseconds: `Retry-After`, or `retryAfterMs` of a JSON-RPC error. */
export function retryAfterOf(error: unknown): number | undefined {
  const data = error instanceof TenonError ? error.details : error instanceof RpcError ? error.data : undefined;
  const requested = isRecord(data) ? data.retryAfterMs : undefined;
  if (typeof requested === 'number' && requested >= 0) return requested;
  return error instanceof Error && error.cause !== undefined ? retryAfterOf(error.cause) : undefined;
}

/** How often one request may be sent, unless it is sent until its time limit. */
export const maxTries = 5;

const firstPauseMs = 100;
/** The longest pause of a call that is sent again until its time limit, if the server asks for no longer one. */
export const longestPauseMs = 5000;

/** How long to pause after this many tries: doubled each time, and at least `Retry-After`. */
export const pauseMs = (tries: number, error: unknown, longestMs = Number.POSITIVE_INFINITY): number =>
  Math.max(Math.min(firstPauseMs * 2 ** (tries - 1), longestMs), retryAfterOf(error) ?? 0);

/** Codes of errors that waiting does not fix. */
const permanent: ReadonlySet<string> = new Set([
  'protocol-version-mismatch',
  'capability-not-supported',
  'schema-drift',
  'command-not-found',
  'spawn-failed',
  'invalid-argument',
  'unauthorized',
  'authorization-failed',
  'sign-in-required',
  'forbidden',
  'endpoint-not-found',
  'proxy-error',
  'redirect-not-followed',
  'tls-failed',
  'unexpected-content',
]);

export function isPermanent(error: unknown): boolean {
  // One with a time to wait asks for another attempt.
  if (error instanceof RpcError) return retryAfterOf(error) === undefined;
  return error instanceof TenonError && permanent.has(error.code);
}

/** Whether an invalid message closed a strict connection: the next connection to the server would end in the same way. */
export const isStrictFailure = (error: unknown): boolean =>
  error instanceof TenonError && (error.details.strict === true || isStrictFailure(error.cause));
