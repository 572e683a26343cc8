/** Many timeouts on few timers: one live timer per distinct duration, none of which keeps the process alive when nothing waits. */

import { isRequestBound } from './request-bound.ts';

/** Where time comes from. Tests pass a fake one. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Runs once after `ms`; the returned function stops it. */
  after(ms: number, run: () => void): StopTimer;
}

/** Stops a timer that has not run yet. */
export interface StopTimer {
  (): void;
  /** Sets whether the timer keeps the process alive. A clock without this has its idle timers stopped instead. */
  hold?(alive: boolean): void;
}

/**
 * The time of the machine. Its timers keep a Node process alive: a caller waits for them, and a process with nothing
 * else to do would exit before they fire. A cancelled timer leaves nothing behind.
 */
export const systemClock: Clock = {
  // Not read before it is needed: Node loads ten modules for `performance`.
  now: () => performance.now(),
  after: (ms, run) => stoppable(setTimeout(run, ms)),
};

function stoppable(timer: unknown): StopTimer {
  const stop: StopTimer = () => clearTimeout(timer as number);
  if (canBeHeld(timer)) stop.hold = (alive) => (alive ? timer.ref() : timer.unref());
  return stop;
}

const canBeHeld = (timer: unknown): timer is { ref(): void; unref(): void } =>
  typeof timer === 'object' && timer !== null && 'ref' in timer && 'unref' in timer;

/** A running timeout, to be passed to `cancel`. A node of a doubly linked list, so that it can be removed from anywhere at once; its links are for this file alone. */
export interface Deadline {
  /** When it falls due, in the clock's time. */
  readonly due: number;
  readonly run: () => void;
  /** Absent once it has run or was cancelled. */
  queue: DeadlineQueue | undefined;
  before: Deadline | undefined;
  after: Deadline | undefined;
}

/** Equal durations fall due in the order they were added, so each duration needs one queue, with a timer for its head. */
interface DeadlineQueue {
  readonly ms: number;
  /** Whether its deadlines keep the process alive. */
  readonly holds: boolean;
  head: Deadline | undefined;
  tail: Deadline | undefined;
  stop: StopTimer;
  /** The time the timer is set for. */
  until: number;
  /** The latest known time: that of the last timer, even if the clock is behind it. */
  reached: number;
}

export interface Deadlines {
  /**
   * Runs once when `ms` have passed, unless cancelled. Parts of a millisecond are rounded up; less than one, or not a
   * number, counts as one, as with setTimeout. `holds: false` does not keep the process alive.
   */
  add(ms: number, run: () => void, holds?: boolean): Deadline;
  /** Does nothing for a deadline that has run or was cancelled. */
  cancel(deadline: Deadline): void;
  /** Milliseconds until a deadline falls due. */
  left(deadline: Deadline): number;
  /** The current time of the clock. */
  now(): number;
  /** From now on no idle timer is retained: once nothing waits, no timer is left. */
  end(): void;
  /** Stops the timers that are idle now, for one of several users that closes; the others set theirs again. */
  rest?(): void;
}

/** The longest delay setTimeout can hold; more would fire at once. */
const longestTimer = 2_147_483_647;

/** How many durations may retain an idle timer. Otherwise one call after another would set and clear a timer each time. */
const maxIdle = 16;

/** On workerd each deadline has a timer: one that another request has set would end with that request. */
export const createDeadlines = (clock: Clock = systemClock, sharesTimers = !isRequestBound()): Deadlines =>
  new QueuedDeadlines(clock, sharesTimers);

class QueuedDeadlines implements Deadlines {
  readonly #clock: Clock;
  readonly #queues = new Map<number, DeadlineQueue>();
  readonly #sharesTimers: boolean;
  #idleAllowed: number;

  constructor(clock: Clock, sharesTimers: boolean) {
    this.#clock = clock;
    this.#sharesTimers = sharesTimers;
    this.#idleAllowed = sharesTimers ? maxIdle : -1;
  }

  add(ms: number, run: () => void, holds = true): Deadline {
    const whole = ms >= 1 ? Math.ceil(ms) : 1;
    const now = this.#clock.now();
    const queue = this.#queueFor(whole, holds, now);
    return append(queue, Math.max(now, queue.reached) + whole, run);
  }

  cancel(deadline: Deadline): void {
    const { queue } = deadline;
    if (queue === undefined) return;
    unlink(deadline, queue);
    if (queue.head === undefined) this.#idle(queue);
  }

  left({ due }: Deadline): number {
    return due - this.now();
  }

  /** A bound function, since some owners pass on only `now`. */
  readonly now = (): number => this.#clock.now();

  end(): void {
    this.#idleAllowed = 0;
    this.rest();
  }

  rest(): void {
    for (const queue of this.#queues.values()) if (queue.head === undefined) this.#close(queue);
  }

  #queueFor(ms: number, holds: boolean, now: number): DeadlineQueue {
    const key = keyOf(ms, holds);
    let queue = this.#sharesTimers ? this.#queues.get(key) : undefined;
    if (queue === undefined) {
      queue = createQueue(ms, holds);
      if (this.#sharesTimers) this.#queues.set(key, queue);
      this.#arm(queue, now, ms);
    } else if (holds && queue.head === undefined) queue.stop.hold?.(true);
    return queue;
  }

  #arm(queue: DeadlineQueue, now: number, delay: number): void {
    const whole = Math.min(Math.ceil(delay), longestTimer);
    queue.reached = now;
    queue.until = now + whole;
    queue.stop = this.#clock.after(whole, () => this.#fire(queue));
    if (!queue.holds) queue.stop.hold?.(false);
  }

  #fire(queue: DeadlineQueue): void {
    // A timer that has run for its whole delay is due, even where the clock reads a little less.
    const now = Math.max(this.#clock.now(), queue.until);
    queue.reached = now;
    try {
      for (let head = queue.head; head !== undefined && head.due <= now; head = queue.head) {
        unlink(head, queue);
        head.run();
      }
    } finally {
      // An error of `run` surfaces in the timer, and the rest of the queue still gets a timer.
      if (queue.head === undefined) this.#close(queue);
      else this.#arm(queue, now, Math.max(1, queue.head.due - now));
    }
  }

  /** The queue is empty. Its timer may find it empty, or filled again, when it fires. */
  #idle(queue: DeadlineQueue): void {
    if (queue.stop.hold === undefined || this.#queues.size > this.#idleAllowed) this.#close(queue);
    else queue.stop.hold(false);
  }

  /** A queue that was emptied while it fired may have a successor of the same duration by now, which stays. */
  #close(queue: DeadlineQueue): void {
    queue.stop();
    const key = keyOf(queue.ms, queue.holds);
    if (this.#queues.get(key) === queue) this.#queues.delete(key);
  }
}

let processWide: Deadlines | undefined;

/** Shared by all clients of the process, since otherwise each would have timers of its own. */
export function processDeadlines(): Deadlines {
  processWide ??= createDeadlines();
  return processWide;
}

const createQueue = (ms: number, holds: boolean): DeadlineQueue => ({
  ms,
  holds,
  head: undefined,
  tail: undefined,
  stop: () => {},
  until: 0,
  reached: 0,
});

/** Deadlines of one duration that keep the process alive, and those that do not, have a queue each. */
const keyOf = (ms: number, holds: boolean): number => (holds ? ms : -ms);

function append(queue: DeadlineQueue, due: number, run: () => void): Deadline {
  const deadline: Deadline = { due, run, queue, before: queue.tail, after: undefined };
  if (queue.tail === undefined) queue.head = deadline;
  else queue.tail.after = deadline;
  queue.tail = deadline;
  return deadline;
}

function unlink(deadline: Deadline, queue: DeadlineQueue): void {
  const { before, after } = deadline;
  if (before === undefined) queue.head = after;
  else before.after = after;
  if (after === undefined) queue.tail = before;
  else after.before = before;
  deadline.queue = undefined;
  deadline.before = undefined;
  deadline.after = undefined;
}
