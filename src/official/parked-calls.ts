/** Calls at instances that stay open while their clients answer: the next round of a call finds its own here. */
import type { Deadline, Deadlines } from '../lib/time/deadlines.ts';

/** A call that can wait between two rounds. */
export interface ParkedCall {
  /** Its client does not continue it. */
  abandoned(reason: unknown): void;
}

/**
 * Calls that wait for answers of their clients at once, in one process.
 * @limit official
 * @beyond the server gets an error for its request, `onDropped` is called
 */
export const maxParkedCalls = 10_000;

export class ParkedCalls<Call extends ParkedCall> {
  readonly #deadlines: Deadlines;
  readonly #ttlMs: number;
  readonly #calls = new Map<string, { readonly call: Call; readonly deadline: Deadline | undefined }>();

  /** `ttlMs`: how long a client may continue a call. */
  constructor(deadlines: Deadlines, ttlMs: number) {
    this.#deadlines = deadlines;
    this.#ttlMs = ttlMs;
  }

  get isFull(): boolean {
    return this.#calls.size >= maxParkedCalls;
  }

  add(callId: string, call: Call): void {
    const expire = (): void => {
      this.#calls.delete(callId);
      call.abandoned('The client has not continued the call in time.');
    };
    const isBounded = Number.isFinite(this.#ttlMs);
    this.#calls.set(callId, {
      call,
      deadline: isBounded ? this.#deadlines.add(this.#ttlMs, expire, false) : undefined,
    });
  }

  /** The call of an earlier round, if it is here. */
  take(callId: string): Call | undefined {
    const found = this.#calls.get(callId);
    if (found?.deadline !== undefined) this.#deadlines.cancel(found.deadline);
    this.#calls.delete(callId);
    return found?.call;
  }
}
