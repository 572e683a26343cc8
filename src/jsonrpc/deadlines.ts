/** Many time-outs on few timers: one live timer per distinct duration, none that holds a process when nothing waits. */

/** Where time comes from; tests pass a fake one. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Runs once after `ms`; the function it gives back stops that. */
  after(ms: number, run: () => void): StopTimer;
  /** The clock to go by instead, while a test has replaced this one. The two know nothing of each other's time. */
  replacement?(): Clock | undefined;
}

export interface StopTimer {
  (): void;
  /** Says whether the process waits for the timer. Where a clock has no such thing, an idle timer is stopped instead. */
  hold?(alive: boolean): void;
}

/** Those that there are when this file is loaded: they go on while a test has others in their place. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Taken when time is first told, not at the start: Node loads ten modules of its own for it. */
let stopwatch: { now(): number } | undefined;
let readStopwatch: (() => number) | undefined;

function ownTime(): number {
  stopwatch ??= performance;
  readStopwatch ??= stopwatch.now;
  return readStopwatch.call(stopwatch);
}

/**
 * The time of the machine. Its timers keep a Node process alive, since somebody waits for what they end: without that
 * a process with nothing else to do would leave in the midst of a wait. Nothing is left of one that was cancelled.
 */
export const systemClock: Clock = {
  now: ownTime,
  after: (ms, run) => stoppable(startTimer(run, ms), stopTimer),
  replacement: () =>
    globalThis.setTimeout === startTimer && (readStopwatch === undefined || performance.now === readStopwatch)
      ? undefined
      : clockOfTest,
};

const clockOfTest: Clock = {
  now: () => performance.now(),
  after: (ms, run) => stoppable(globalThis.setTimeout(run, ms), globalThis.clearTimeout),
};

/** What stops a timer is of the same make as what started it. */
function stoppable(timer: unknown, clear: (timer: number) => void): StopTimer {
  const stop: StopTimer = () => clear(timer as number);
  if (canBeHeld(timer)) stop.hold = (alive) => (alive ? timer.ref() : timer.unref());
  return stop;
}

const canBeHeld = (timer: unknown): timer is { ref(): void; unref(): void } =>
  typeof timer === 'object' && timer !== null && 'ref' in timer && 'unref' in timer;

/**
 * A time-out under way, to be handed back to `cancel`; its links are for this file alone.
 * Linked both ways, so that cancelling takes it out at once wherever it stands.
 */
export interface Deadline {
  /** The moment it falls due, on the clock's scale. */
  readonly due: number;
  readonly run: () => void;
  /** Absent once it has run or was cancelled. */
  queue: DeadlineQueue | undefined;
  before: Deadline | undefined;
  after: Deadline | undefined;
}

/** Equal durations fall due in the order they were added, so each duration needs a queue and a timer for its head. */
interface DeadlineQueue {
  readonly ms: number;
  readonly clock: Clock;
  /** Whether the process waits for what is in it. */
  readonly holds: boolean;
  /** Whether it is there for one deadline only. */
  readonly isAlone: boolean;
  head: Deadline | undefined;
  tail: Deadline | undefined;
  stop: StopTimer;
  /** The moment that the timer is set for. */
  until: number;
  /** A moment that has passed: that of the last timer, where the clock tells less. */
  passed: number;
}

export interface Deadlines {
  /**
   * Runs once when `ms` have passed, unless cancelled. Parts of a millisecond are rounded up; less than one, or not a
   * number, counts as one, as setTimeout has it. What nobody waits for does not hold the process.
   */
  add(ms: number, run: () => void, holds?: boolean): Deadline;
  /** Without effect on a deadline that has run or was cancelled. */
  cancel(deadline: Deadline): void;
  /** How long it is until a deadline falls due. */
  left(deadline: Deadline): number;
  /** The moment it is, on the clock's scale. */
  now(): number;
  /** Keeps no idle timer from here on: nothing is left once nothing waits. */
  end(): void;
  /** Stops the timers that are idle now, for one of several users that leaves; the others set theirs anew. */
  rest?(): void;
}

/** The longest delay setTimeout can hold; more would fire at once. */
const longestTimer = 2_147_483_647;

/** How many durations may keep an idle timer. One call after another would else set and clear a timer each time. */
const mostIdle = 16;

export const createDeadlines = (clock: Clock = systemClock): Deadlines => new QueuedDeadlines(clock);

class QueuedDeadlines implements Deadlines {
  readonly #clock: Clock;
  readonly #queues = new Map<number, DeadlineQueue>();
  #idleAllowed = mostIdle;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(ms: number, run: () => void, holds = true): Deadline {
    const whole = ms >= 1 ? Math.ceil(ms) : 1;
    const replacement = this.#clock.replacement?.();
    const now = (replacement ?? this.#clock).now();
    const queue =
      replacement === undefined ? this.#shared(whole, holds, now) : this.#lone(whole, holds, now, replacement);
    return append(queue, Math.max(now, queue.passed) + whole, run);
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

  /** A function of its own: some hand on nothing but the time. */
  readonly now = (): number => (this.#clock.replacement?.() ?? this.#clock).now();

  end(): void {
    this.#idleAllowed = 0;
    this.rest();
  }

  rest(): void {
    for (const queue of this.#queues.values()) if (queue.head === undefined) this.#close(queue);
  }

  #shared(ms: number, holds: boolean, now: number): DeadlineQueue {
    const key = keyOf(ms, holds);
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = queueOf(ms, this.#clock, holds, false);
      this.#queues.set(key, queue);
      this.#arm(queue, now, ms);
    } else if (holds && queue.head === undefined) queue.stop.hold?.(true);
    return queue;
  }

  /**
   * Tests replace the timers of a process and put them back, and often not what tells the time: nothing but its own
   * timer can say when such a deadline is due, and one whose timers are gone must keep no other.
   */
  #lone(ms: number, holds: boolean, now: number, replacement: Clock): DeadlineQueue {
    const queue = queueOf(ms, replacement, holds, true);
    this.#arm(queue, now, ms);
    return queue;
  }

  #arm(queue: DeadlineQueue, now: number, delay: number): void {
    const whole = Math.min(Math.ceil(delay), longestTimer);
    queue.passed = now;
    queue.until = now + whole;
    queue.stop = queue.clock.after(whole, () => this.#fire(queue));
    if (!queue.holds) queue.stop.hold?.(false);
  }

  #fire(queue: DeadlineQueue): void {
    // A timer that has run for its whole delay is due, also where a test lets timers run and the stopwatch stand.
    const now = Math.max(queue.clock.now(), queue.until);
    queue.passed = now;
    try {
      for (let head = queue.head; head !== undefined && head.due <= now; head = queue.head) {
        unlink(head, queue);
        head.run();
      }
    } finally {
      // A run that throws reaches the timer's owner, and the rest of the queue still gets its timer.
      if (queue.head === undefined) this.#close(queue);
      else this.#arm(queue, now, Math.max(1, queue.head.due - now));
    }
  }

  /** Nothing waits in the queue any more; its timer may find it empty, or filled again, when it fires. */
  #idle(queue: DeadlineQueue): void {
    if (queue.isAlone || queue.stop.hold === undefined || this.#queues.size > this.#idleAllowed) this.#close(queue);
    else queue.stop.hold(false);
  }

  /** A queue emptied while it fires can have a follower of the same duration by now, which stays. */
  #close(queue: DeadlineQueue): void {
    queue.stop();
    const key = keyOf(queue.ms, queue.holds);
    if (this.#queues.get(key) === queue) this.#queues.delete(key);
  }
}

let ofProcess: Deadlines | undefined;

/** Those that clients have in common, since each would keep timers of its own. */
export function processDeadlines(): Deadlines {
  ofProcess ??= createDeadlines();
  return ofProcess;
}

const queueOf = (ms: number, clock: Clock, holds: boolean, isAlone: boolean): DeadlineQueue => ({
  ms,
  clock,
  holds,
  isAlone,
  head: undefined,
  tail: undefined,
  stop: () => {},
  until: 0,
  passed: 0,
});

/** Those of one duration that hold the process, and those that do not, have a queue each. */
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
