/** Events of one turn are written together; their callers wait for one promise. While the disk works, the next group gathers. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createDeferred, type Deferred } from '../../lib/values/deferred.ts';
import type { PreparedEvent } from './prepare.ts';
import { type QueueLimits, QueueShares } from './queue-shares.ts';

/** Where groups are stored. */
export interface GroupSink {
  /** Stores all events, or throws and stores none. They survive the end of this process. */
  write(events: readonly PreparedEvent[]): void;
  /** Resolves when all that was written survives a power loss. `undefined` if that is not wanted. */
  readonly sync: (() => Promise<void>) | undefined;
  /** Runs after each group that was written. No group is written until its promise has settled; it never rejects. */
  written(): Promise<void> | undefined;
}

export interface GroupOptions {
  readonly limits: QueueLimits;
  /** `wait`: callers wait for the disk. `spill`: a full queue is written at once, and its callers do not wait for the sync. */
  readonly whenFull: 'wait' | 'spill';
  /** Runs a function at the end of this turn. */
  readonly schedule: (run: () => void) => void;
}

/** A group: events that wait to be written, and their callers. */
interface Group {
  readonly events: QueuedEvent[];
  readonly shares: QueueShares;
  /** How many callers wait for `done`. Events retained after a failure have none. */
  callers: number;
  readonly done: Deferred<void>;
}

interface QueuedEvent {
  readonly event: PreparedEvent;
  /** A `begin` event that cannot be written is dropped, since its call does not run. */
  readonly isBegin: boolean;
  /** Whose share of the queue it takes; `undefined` for one of the log itself, and for a caller that shares with no other. */
  readonly share: string | undefined;
}

/** `idle`: nothing waits. `scheduled`: written at the end of this turn. `syncing`, `busy`: written after that. */
type State = 'idle' | 'scheduled' | 'syncing' | 'busy';

export class GroupCommit {
  readonly #sink: GroupSink;
  readonly #options: GroupOptions;
  #state: State = 'idle';
  #group: Group;

  constructor(sink: GroupSink, options: GroupOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#group = newGroup(options.limits);
  }

  /** Whether only ends of calls are taken. */
  get isFull(): boolean {
    return !this.#group.shares.hasRoom(undefined);
  }

  /** Resolves when the event is stored. */
  add(event: PreparedEvent, isBegin: boolean, share?: string): Promise<void> {
    const mustSpill = this.#options.whenFull === 'spill' && this.#state === 'syncing';
    if (mustSpill && !this.#group.shares.hasRoom(share)) this.#spill();
    // The end of a call that ran is always taken: there are at most as many as calls that run.
    if (event.kind !== 'call-end' && !this.#group.shares.hasRoom(share)) {
      this.#start();
      return Promise.reject(queueFull(this.#options.limits, this.isFull));
    }
    this.#group.events.push({ event, isBegin, share });
    this.#group.shares.add(share, event.chars);
    return this.#wait();
  }

  /** Resolves when all that waits now is stored; rejects if it cannot be written. */
  flush(): Promise<void> {
    return this.#wait();
  }

  #wait(): Promise<void> {
    const { done } = this.#group;
    this.#group.callers++;
    this.#start();
    return done.promise;
  }

  #start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'scheduled';
    this.#options.schedule(this.#commit);
  }

  readonly #commit = (): void => {
    const group = this.#take();
    if (!this.#write(group)) return this.#next();
    if (this.#sink.sync !== undefined) return void this.#sync(group, this.#sink.sync);
    group.done.resolve();
    this.#after();
  };

  async #sync(group: Group, sync: () => Promise<void>): Promise<void> {
    this.#state = 'syncing';
    try {
      await sync();
    } catch (error) {
      group.done.reject(error);
      return this.#next();
    }
    group.done.resolve();
    this.#after();
  }

  #spill(): void {
    const group = this.#take();
    if (this.#write(group)) group.done.resolve();
  }

  #write(group: Group): boolean {
    try {
      if (group.events.length > 0) this.#sink.write(group.events.map(({ event }) => event));
      return true;
    } catch (error) {
      this.#retain(group);
      group.done.reject(error);
      return false;
    }
  }

  /** Puts events that could not be written before the newer ones. */
  #retain({ events }: Group): void {
    const kept = events.filter(({ isBegin }) => !isBegin);
    this.#group.events.unshift(...kept);
    for (const { event, share } of kept) this.#group.shares.add(share, event.chars);
  }

  #after(): void {
    const more = this.#sink.written();
    if (more === undefined) return this.#next();
    this.#state = 'busy';
    void more.finally(() => this.#next());
  }

  /** Events that could not be written wait for the next event, or for `flush`. */
  #next(): void {
    this.#state = 'idle';
    if (this.#group.callers > 0) this.#start();
  }

  #take(): Group {
    const group = this.#group;
    this.#group = newGroup(this.#options.limits);
    return group;
  }
}

function newGroup(limits: QueueLimits): Group {
  const done = createDeferred();
  // A group may have no caller that listens.
  done.promise.catch(() => {});
  return { events: [], shares: new QueueShares(limits), callers: 0, done };
}

const queueFull = ({ maxQueuedRecords, maxQueuedChars }: QueueLimits, isFull: boolean): TenonError =>
  new TenonError(
    'audit-unavailable',
    isFull
      ? 'The queue of the audit log is full: the disk is slower than the events.'
      : 'The queue of the audit log has as many records of one caller as it may have: the disk is slower than the events.',
    {
      hint: "Try again later. On the server: a faster disk, durability 'os', or whenFull 'spill'.",
      details: { maxQueuedRecords, maxQueuedChars },
    },
  );
