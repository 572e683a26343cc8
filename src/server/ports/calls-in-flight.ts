/** The calls of one connection that are under way: bounded, cancelled by id, and waited for when the connection drains. */
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { CallUnderWay } from './link.ts';

function giveUp(call: CallUnderWay, reason: unknown): void {
  call.cancelled = true;
  call.present?.cancel(reason);
}

/** A class, because every connection has one: methods that all share weigh nothing. */
export class Calls {
  readonly #maxConcurrent: number;
  readonly #calls = new IdTable<CallUnderWay>();
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
   * Takes a call in; `undefined` where no more may run at once, or the connection is about to close. What only waits,
   * as listening does, does not count among those that run.
   */
  begin(id: RequestId, counts: boolean): CallUnderWay | undefined {
    if (this.#drained !== undefined || (counts && this.#running >= this.#maxConcurrent)) return undefined;
    if (counts) this.#running++;
    const call: CallUnderWay = { present: undefined, counts, cancelled: false, answering: undefined };
    this.#calls.set(id, call);
    return call;
  }

  /** A call has ended; says whether it was still under way, and not cancelled before. */
  end(id: RequestId, call: CallUnderWay): boolean {
    if (call.counts) this.#running--;
    call.counts = false;
    if (this.#calls.get(id) !== call) return false;
    this.#calls.delete(id);
    // The answer leaves before the connection does.
    if (this.#drained !== undefined) queueMicrotask(() => this.#left());
    return true;
  }

  /** Cancels a call; false where none of this id is under way. */
  cancel(id: RequestId, reason: unknown): boolean {
    const call = this.#calls.get(id);
    // Out of the table first: what ends at once by being cancelled is not answered either.
    this.#calls.delete(id);
    if (call !== undefined) giveUp(call, reason);
    this.#left();
    return call !== undefined;
  }

  cancelAll(reason: unknown): void {
    for (const id of this.#calls.ids()) {
      const call = this.#calls.get(id);
      if (call !== undefined) giveUp(call, reason);
    }
  }

  find(id: RequestId): CallUnderWay | undefined {
    return this.#calls.get(id);
  }

  ids(): RequestId[] {
    return this.#calls.ids();
  }

  /** Lets no more in, and says when the last one has ended. */
  drain(drained: () => void): void {
    this.#drained = drained;
    this.#left();
  }

  #left(): void {
    if (this.#calls.size === 0) this.#drained?.();
  }
}
