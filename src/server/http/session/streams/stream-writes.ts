/** What a stream has the store add, in order: where nothing else writes the stream, what failed is stored again. */
import { type MaybePromise, startOperation } from '../../../../lib/values/maybe-promise.ts';
import { Attempts } from './attempts.ts';
import type { OperationQueue } from './operation-queue.ts';
import type { StreamPorts, StreamRequests } from './stream-ports.ts';

/** Adds an event, or the end. With the number that it gets, it can be called again if there was no answer. */
type Add = (at?: number) => MaybePromise<number | undefined>;
type Added = PromiseSettledResult<number | undefined>;

export class StreamWrites {
  /** The number of the last event that was stored. */
  last = 0;
  /** Whether an event could not be stored; then none after it is. */
  isIncomplete = false;
  readonly #ports: StreamPorts;
  readonly #operations: OperationQueue;
  /** What it answers, where nothing else writes the stream: then its events are numbered here. */
  readonly #requests: StreamRequests | undefined;
  readonly #onIncomplete: (requests: StreamRequests) => void;
  /** The number of the last event that the store was asked to add. */
  #numbered = 0;
  /** Characters of events without an answer. */
  #waiting = 0;
  /** Present while an event is stored again: the others wait for it. */
  #attempts: Attempts | undefined;
  /** The end, once the store was asked for it: if it has taken place, all events before it are stored. */
  #ending: MaybePromise<number | undefined>;

  constructor(
    ports: StreamPorts,
    operations: OperationQueue,
    requests: StreamRequests | undefined,
    onIncomplete: (requests: StreamRequests) => void,
  ) {
    this.#ports = ports;
    this.#operations = operations;
    this.#requests = requests;
    this.#onIncomplete = onIncomplete;
  }

  /** Asks the store to add what is next, unless an event before it is stored again, or was not stored. */
  start(add: Add): MaybePromise<number | undefined> {
    if (this.#requests === undefined) return startOperation(add);
    if (this.#attempts !== undefined || this.isIncomplete) return 0;
    if (this.#operations.pending === undefined) this.#numbered = this.last;
    const at = ++this.#numbered;
    return startOperation(() => add(at));
  }

  /** Whether the store has answered at once, and nothing is to be done before that is handled. */
  isAnswer(started: MaybePromise<number | undefined>): started is number | undefined {
    if (started instanceof Promise || this.#operations.pending !== undefined) return false;
    return started !== 0 || this.#requests === undefined;
  }

  /** Handles the answer for an event, or that it is not stored. */
  add(
    started: MaybePromise<number | undefined>,
    add: Add,
    chars: number,
    handle: (n: number | undefined) => void,
    notStored: () => void,
  ): void {
    this.#waiting += chars;
    if (this.#waiting > this.#ports.sinks.maxQueuedChars) this.#attempts?.stop();
    this.#operations.add(started, async (first) => {
      const added = this.isIncomplete ? undefined : await this.#stored(first, add);
      this.#waiting -= chars;
      if (added?.status === 'fulfilled') handle(added.value);
      else notStored();
    });
  }

  /** Handles the answer for the end, or that it is not stored. A client that reads here does not wait for another attempt. */
  addEnd(
    started: MaybePromise<number | undefined>,
    end: Add,
    handle: (n: number | undefined) => void,
    notStored: () => void,
  ): void {
    this.#ending = started;
    this.#operations.add(started, async (first) => {
      if (this.isIncomplete) return notStored();
      const added = this.#isHeldBack(first) ? await this.#addAgain(end) : first;
      if (added.status === 'fulfilled') return handle(added.value);
      this.#ports.storeFailed(added.reason);
      notStored();
    });
  }

  async #stored(first: Added, add: Add): Promise<Added> {
    if (first.status === 'fulfilled' && !this.#isHeldBack(first)) return first;
    if (this.#requests === undefined) {
      if (first.status === 'rejected') this.#ports.storeFailed(first.reason);
      return first;
    }
    const attempts = new Attempts(this.#ports);
    this.#attempts = attempts;
    if (await hasEnded(this.#ending)) first = { status: 'fulfilled', value: this.last + 1 };
    else if (this.#isHeldBack(first)) first = await this.#addAgain(add);
    const added = first.status === 'rejected' ? await attempts.repeat(first, () => this.#addNext(add)) : first;
    this.#attempts = undefined;
    this.isIncomplete = added.status === 'rejected';
    if (this.isIncomplete) this.#onIncomplete(this.#requests);
    return added;
  }

  /** Whether it was not added because an event before it was missing at that time. */
  #isHeldBack(added: Added): boolean {
    return this.#requests !== undefined && added.status === 'fulfilled' && added.value === 0;
  }

  async #addAgain(add: Add): Promise<Added> {
    const [added] = await Promise.allSettled([this.#addNext(add)]);
    return added;
  }

  /** All events before it have been stored. If one is missing nevertheless, the store has lost it, and counts anew. */
  async #addNext(add: Add): Promise<number | undefined> {
    const n = await add(this.last + 1);
    return n === 0 ? add() : n;
  }
}

async function hasEnded(ending: MaybePromise<number | undefined>): Promise<boolean> {
  const [ended] = await Promise.allSettled([ending]);
  return ended.status === 'fulfilled' && (ended.value ?? 0) > 0;
}
