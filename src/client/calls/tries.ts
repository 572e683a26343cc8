/** The attempts of one call that have failed: for how long it is sent again, and what remains unknown when that ends. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { isPermanent, longestPauseMs, maxTries, pauseMs } from '../retry/backoff.ts';
import { isOutage, isRefused, outcomeOf, outcomeUnknown } from '../retry/failure-outcome.ts';

export interface TriedCall {
  readonly method: string;
  /** The method, with what it is about. */
  readonly shown: string;
  /** Whether its caller wants it sent again until its time limit: it has a key, or is `retryable`. */
  readonly isPromised: boolean;
  readonly timeoutMs: number;
}

export class Tries {
  readonly #call: TriedCall;
  readonly #deadlines: Pick<Deadlines, 'now'>;
  /** A call that made progress for long has its whole time from here on. */
  readonly #firstFailedAt: number;
  #count = 1;
  /** The last request that may have arrived. */
  #requestId: unknown;
  /** Why it is unknown whether the call was carried out. */
  #unknown: Error | undefined;

  /** Made when the first attempt has failed: calls that succeed need none. */
  constructor(call: TriedCall, deadlines: Pick<Deadlines, 'now'>) {
    this.#call = call;
    this.#deadlines = deadlines;
    this.#firstFailedAt = deadlines.now();
  }

  /** How many have failed. */
  get count(): number {
    return this.#count;
  }

  get isPromised(): boolean {
    return this.#call.isPromised;
  }

  /** How long the call may still wait to be sent again. */
  get leftMs(): number {
    return this.#firstFailedAt + this.#call.timeoutMs - this.#deadlines.now();
  }

  /** Whether no other may follow. A call that the server refused before it began has its whole time, too. */
  isLast(error: unknown): boolean {
    return this.isPromised || isRefused(error) ? this.leftMs <= 0 : this.#count >= maxTries;
  }

  /** How long to pause before the next one; `undefined` if the call has not so much time left. */
  nextPauseMs(error: unknown): number | undefined {
    const ms = pauseMs(this.#count, error, longestPauseMs);
    return ms > this.leftMs ? undefined : ms;
  }

  /** Resolves when the next one may follow, as `wait` does; rejects with the error for the caller. */
  async failed(wait: Promise<void>): Promise<void> {
    try {
      await wait;
    } catch (error) {
      throw this.ended(error);
    }
    this.#count += 1;
  }

  /** The server may have received this request, if there was one. */
  arrived(requestId: unknown): void {
    this.#requestId = requestId ?? this.#requestId;
  }

  /** The server may have carried out the call, and this error does not say so. */
  mayHaveRun(error: Error): void {
    this.#unknown = error;
  }

  /** The error for the caller: `outcome-unknown` if one may have been carried out, and the last one does not settle it. */
  ended(error: unknown): unknown {
    const unknown = this.#unknown;
    if (unknown === undefined || settles(error)) return error;
    const { method, shown } = this.#call;
    return outcomeUnknown(method, this.#requestId, unknown, shown, error === unknown ? undefined : (error as Error));
  }
}

/** Whether an error is the outcome of the call. Those of the connection, of gateways and of a failing server say nothing about earlier attempts. */
function settles(error: unknown): boolean {
  if (outcomeOf(error) !== 'settled' || isOutage(error)) return false;
  if (error instanceof RpcError) return error.reason !== 'internal-error';
  return !(error instanceof TenonError && (isPermanent(error) || error.code === 'http-error'));
}
