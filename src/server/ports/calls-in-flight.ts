/** The calls in flight of one connection: limited in number, cancelled by id, awaited when the connection drains. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CallSlots } from './call-slots.ts';
import type { CallInFlight } from './link.ts';

const tooManyHere = rpcError('overloaded', 'Too many calls are running on this connection. Try again later.', {
  ...notStartedData,
  retryAfterMs: 1000,
});

/** A class, since every connection has one: closures would take memory for each. */
export class CallsInFlight {
  readonly #maxConcurrent: number;
  /** Slots that other connections use too. */
  readonly #slots: CallSlots | undefined;
  readonly #calls = new IdTable<CallInFlight>();
  /** Cancelled calls count until their handlers have ended: cancelling alone makes no room. */
  #running = 0;
  /** Set when no more calls are accepted: runs when the last one has ended. */
  #drained: (() => void) | undefined;

  constructor(maxConcurrent: number, slots?: CallSlots) {
    this.#maxConcurrent = maxConcurrent;
    this.#slots = slots;
  }

  /** How many run, including cancelled ones whose handlers have not ended. */
  get running(): number {
    return this.#running;
  }

  /** Adds a call; returns why it may not run: too many do, or the connection is about to close. A subscription does not count. */
  begin(id: RequestId, call: CallInFlight): RpcError | undefined {
    if (this.#drained !== undefined) return tooManyHere;
    if (call.counts) {
      const refused = this.#running >= this.#maxConcurrent ? tooManyHere : this.#slots?.takeCall(call);
      if (refused !== undefined) return refused;
      this.#running++;
    }
    this.#calls.set(id, call);
    return undefined;
  }

  /** A call has ended; returns whether it was still in flight, and not cancelled before. */
  end(id: RequestId, call: CallInFlight): boolean {
    if (call.counts) {
      call.counts = false;
      this.#running--;
      this.#slots?.releaseCall(call);
    }
    if (this.#calls.get(id) !== call) return false;
    this.#calls.delete(id);
    // The answer is sent before the connection closes.
    if (this.#drained !== undefined) queueMicrotask(() => this.#left());
    return true;
  }

  /** Cancels a call; false if none of this id is in flight. */
  cancel(id: RequestId, reason: unknown): boolean {
    const call = this.#calls.get(id);
    // Removed first: a call that ends synchronously on cancellation is not answered either.
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

  /** Accepts no more calls, and calls back when the last one has ended. */
  drain(drained: () => void): void {
    this.#drained = drained;
    this.#left();
  }

  #left(): void {
    if (this.#calls.size === 0) this.#drained?.();
  }
}
