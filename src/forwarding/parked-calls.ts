/** Calls at other servers that stay open while their clients answer: the next round of a call finds its own here. */
import type { Deadline, Deadlines } from '../lib/time/deadlines.ts';
import { SlotShares } from '../server/ports/slot-shares.ts';

/** A call that can wait between two rounds. */
export interface ParkedCall {
  /** What a call that repeats it has, too; absent without an idempotency key. */
  readonly repeat: string | undefined;
  /** Whether it waits without a time limit: a task has one of its own. */
  readonly isTask?: boolean;
  /** Its client does not continue it. */
  abandoned(reason: unknown): void;
}

/**
 * Calls of one server that have asked their clients and have not ended, in one process. No caller has more than it leaves to
 * others.
 * @limit official
 * @beyond the server gets an error for its request, `onDropped` is called
 */
export const maxParkedCalls = 10_000;

/**
 * Characters of their parameters and headers, as JSON. No caller has more than it leaves to others.
 * @limit official
 * @beyond the server gets an error for its request, `onDropped` is called
 */
export const maxParkedChars = 32 * 1024 * 1024;

export class ParkedCalls<Call extends ParkedCall> {
  readonly #deadlines: Deadlines;
  readonly #ttlMs: number;
  readonly #open = new SlotShares(maxParkedCalls, true);
  readonly #chars = new SlotShares(maxParkedChars, true);
  readonly #calls = new Map<string, { readonly call: Call; readonly deadline: Deadline | undefined }>();

  /** The IDs of those with an idempotency key. */
  readonly #repeats = new Map<string, string>();

  /** `ttlMs`: how long a client may continue a call. */
  constructor(deadlines: Deadlines, ttlMs: number) {
    this.#deadlines = deadlines;
    this.#ttlMs = ttlMs;
  }

  /** Calls that wait for their clients. */
  get size(): number {
    return this.#calls.size;
  }

  /** Takes room for a call that asks its client; `undefined` if there is none. What it returns is called when the call has ended. */
  reserve(share: string | undefined, chars: number): (() => void) | undefined {
    if (!this.#open.take(share)) return undefined;
    if (this.#chars.take(share, chars))
      return () => {
        this.#open.release(share);
        this.#chars.release(share, chars);
      };
    this.#open.release(share);
    return undefined;
  }

  add(callId: string, call: Call): void {
    const expire = (): void => {
      this.take(callId);
      call.abandoned('The client has not continued the call in time.');
    };
    if (call.repeat !== undefined) this.#repeats.set(call.repeat, callId);
    const isBounded = Number.isFinite(this.#ttlMs) && call.isTask !== true;
    this.#calls.set(callId, {
      call,
      deadline: isBounded ? this.#deadlines.add(this.#ttlMs, expire, false) : undefined,
    });
  }

  has(callId: string): boolean {
    return this.#calls.has(callId);
  }

  /** The call of an earlier round, if it is here. */
  take(callId: string): Call | undefined {
    const found = this.#calls.get(callId);
    if (found?.deadline !== undefined) this.#deadlines.cancel(found.deadline);
    this.#calls.delete(callId);
    if (found?.call.repeat !== undefined) this.#repeats.delete(found.call.repeat);
    return found?.call;
  }

  /** The call that another one repeats from its beginning. */
  takeRepeat(repeat: string): Call | undefined {
    const callId = this.#repeats.get(repeat);
    return callId === undefined ? undefined : this.take(callId);
  }
}
