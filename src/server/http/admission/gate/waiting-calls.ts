/** Calls that wait for a slot: callers take turns, and no caller may take more places than it leaves free. */
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import type { QueuedCall, QueuePlace } from '../../../ports/call-slots.ts';
import { FairPool, type Holding } from '../../../ports/fair-pool.ts';

/** A caller, as the queue sees it. */
export interface WaitingCaller {
  /** How many places it has. */
  readonly places: Holding;
  /** Its calls that wait, oldest first. */
  readonly waiting: Set<Place>;
}

export interface QueueOptions {
  readonly maxCalls: number;
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
}

/** What the queue needs of its gate. */
interface QueuePorts<Caller> {
  /** Takes a slot for a caller; false if it may have none now. */
  takeSlot(caller: Caller): boolean;
  /** The call has waited too long: it gets the reason. */
  refuse(call: QueuedCall): void;
}

export class WaitingCalls<Caller extends WaitingCaller> {
  readonly #options: QueueOptions;
  readonly #ports: QueuePorts<Caller>;
  readonly #pool: FairPool;
  /** The callers that wait, in the order of their turns. */
  readonly #turns = new Set<Caller>();
  /** Whether calls are about to be admitted: until then a new call waits for its turn too. */
  isAdmitting = false;

  constructor(options: QueueOptions, ports: QueuePorts<Caller>) {
    this.#options = options;
    this.#ports = ports;
    this.#pool = new FairPool(options.maxCalls);
  }

  /** What all callers hold of the places. */
  get all(): Holding {
    return this.#pool.all;
  }

  get size(): number {
    return this.#pool.all.count;
  }

  /** Gives a call a place, which it keeps until it is admitted, has waited too long, or leaves; false if there is none. */
  add(caller: Caller, call: QueuedCall): boolean {
    if (this.#pool.take(caller.places) !== undefined) return false;
    const { deadlines, timeoutMs } = this.#options;
    const place: Place = new Place(
      call,
      deadlines.add(timeoutMs, () => this.#expire(place)),
      () => this.#remove(caller, place),
    );
    call.place = place;
    caller.waiting.add(place);
    this.#turns.add(caller);
    return true;
  }

  /** A slot is free. Calls begin in a task of their own: the call that has freed it is answered first. */
  slotFreed(): void {
    if (this.isAdmitting) return;
    this.isAdmitting = true;
    queueMicrotask(() => {
      this.isAdmitting = false;
      this.#admit();
    });
  }

  /** One call of each caller in turn, as long as any of them may have a slot. */
  #admit(): void {
    // How many callers in a row may have none.
    let blocked = 0;
    while (blocked < this.#turns.size) {
      const caller = first(this.#turns);
      this.#turns.delete(caller);
      this.#turns.add(caller);
      if (!this.#ports.takeSlot(caller)) blocked++;
      else {
        blocked = 0;
        const place = first(caller.waiting);
        place.leave();
        place.call.place = undefined;
        place.call.admitted(undefined);
      }
    }
  }

  #expire(place: Place): void {
    place.leave();
    this.#ports.refuse(place.call);
  }

  #remove(caller: Caller, place: Place): void {
    this.#options.deadlines.cancel(place.deadline);
    caller.waiting.delete(place);
    if (caller.waiting.size === 0) this.#turns.delete(caller);
    this.#pool.release(caller.places);
  }
}

/** A caller in the queue has at least one call there. */
const first = <T>(some: ReadonlySet<T>): T => some.values().next().value as T;

export class Place implements QueuePlace {
  readonly call: QueuedCall;
  readonly deadline: Deadline;
  #remove: (() => void) | undefined;

  constructor(call: QueuedCall, deadline: Deadline, remove: () => void) {
    this.call = call;
    this.deadline = deadline;
    this.#remove = remove;
  }

  leave(): void {
    const remove = this.#remove;
    this.#remove = undefined;
    remove?.();
  }
}
