/** The calls of one connection that are in flight: bounded, cancelled by id, and awaited when the connection drains. */
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { CallInFlight } from './link.ts';

/** A class, because every connection has one: shared methods take no memory. */
export class CallsInFlight {
  readonly #maxConcurrent: number;
  readonly #calls = new IdTable<CallInFlight>();
  /** Those that were cancelled count until their handlers have ended: cancelling makes no room by itself. */
  #running = 0;
  /** Set when no more may come in: runs when the last one has ended. */
  #drained: (() => void) | undefined;

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** How many run, those included that were cancelled and have yet to end. */
  get running(): number {
    return this.#running;
  }

  /**
   * Adds a call; false where no more may run at once, or the connection is about to close. A call that only waits, as
   * listening does, does not count.
   */
  begin(id: RequestId, call: CallInFlight): boolean {
    if (this.#drained !== undefined || (call.counts && this.#running >= this.#maxConcurrent)) return false;
    if (call.counts) this.#running++;
    this.#calls.set(id, call);
    return true;
  }

  /** A call has ended; returns whether it was still in flight, and not cancelled before. */
  end(id: RequestId, call: CallInFlight): boolean {
    if (call.counts) this.#running--;
    call.counts = false;
    if (this.#calls.get(id) !== call) return false;
    this.#calls.delete(id);
    // The answer leaves before the connection does.
    if (this.#drained !== undefined) queueMicrotask(() => this.#left());
    return true;
  }

  /** Cancels a call; false where none of this id is in flight. */
  cancel(id: RequestId, reason: unknown): boolean {
    const call = this.#calls.get(id);
    // Out of the table first: what ends at once by being cancelled is not answered either.
    this.#calls.delete(id);
    call?.cancel(reason);
    this.#left();
    return call !== undefined;
  }

  cancelAll(reason: unknown): void {
    for (const id of this.#calls.ids()) {
      this.#calls.get(id)?.cancel(reason);
    }
  }

  find(id: RequestId): CallInFlight | undefined {
    return this.#calls.get(id);
  }

  ids(): RequestId[] {
    return this.#calls.ids();
  }

  /** Lets no more in, and calls back when the last one has ended. */
  drain(drained: () => void): void {
    this.#drained = drained;
    this.#left();
  }

  #left(): void {
    if (this.#calls.size === 0) this.#drained?.();
  }
}
