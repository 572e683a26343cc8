/** How long to wait before the next attempt. Pure: chance and time are given. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';

export interface Backoff {
  /** The first wait is a random part of this, and each later one of twice as much as the one before. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** Attempts within any minute. */
  readonly maxAttemptsPerMinute: number;
}

export const defaultBackoff: Backoff = { initialDelayMs: 500, maxDelayMs: 30_000, maxAttemptsPerMinute: 30 };

/** The longest `Retry-After` that is respected. */
const maxRetryAfterMs = 5 * 60_000;
const minuteMs = 60_000;

export interface Attempts {
  /** Failures in a row; the first is 1. */
  readonly failures: number;
  /** When attempts were made, oldest first. */
  readonly times: readonly number[];
  readonly now: number;
  /** What the server sent as `Retry-After`. */
  readonly retryAfterMs: number | undefined;
}

/** Full jitter: anything from nothing to the whole wait, so that many clients do not come back at once. */
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

/** How long until another attempt is within the limit of a minute. */
function untilAllowed(times: readonly number[], now: number, maxPerMinute: number): number {
  const oldest = times[times.length - maxPerMinute];
  return oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

/** Those of the attempts that a limit by the minute still has to know. */
export const recent = (times: readonly number[], now: number): number[] => times.filter((at) => at > now - minuteMs);

/** The `Retry-After` in an error, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const requested = error instanceof TenonError ? error.details.retryAfterMs : undefined;
  if (typeof requested === 'number') return requested;
  return error instanceof Error && error.cause !== undefined ? retryAfterOf(error.cause) : undefined;
}

/** How often one request may be sent. */
export const maxTries = 5;

const firstPauseMs = 100;

/** How long to pause after so many tries: doubled each time, and at least as long as `Retry-After`. */
export const pauseMs = (tries: number, error: unknown): number =>
  Math.max(firstPauseMs * 2 ** (tries - 1), retryAfterOf(error) ?? 0);

/** Codes of errors that waiting does not fix. */
const permanent: ReadonlySet<string> = new Set([
  'protocol-version-mismatch',
  'capability-not-supported',
  'command-not-found',
  'spawn-failed',
  'invalid-argument',
  'unauthorized',
  'forbidden',
  'endpoint-not-found',
  'proxy-error',
  'redirect-not-followed',
  'tls-failed',
  'unexpected-content',
]);

export function isPermanent(error: unknown): boolean {
  if (error instanceof RpcError) return true;
  return error instanceof TenonError && permanent.has(error.code);
}
