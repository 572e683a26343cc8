/** Many time-outs on few timers: one live timer per distinct duration, none that holds a process when nothing waits. */

/** Where time comes from; tests pass a fake one. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Runs once after `ms`; the function it gives back stops that. */
  after(ms: number, run: () => void): StopTimer;
  /** What its timers are of, where that can be replaced: those of before may never run again. */
  source?(): unknown;
}

export interface StopTimer {
  (): void;
  /** Says whether the process waits for the timer. Where a clock has no such thing, an idle timer is stopped instead. */
  hold?(alive: boolean): void;
}

/**
 * The time of the machine. Its timers keep a Node process alive, since somebody waits for what they end: without that
 * a process with nothing else to do would leave in the midst of a wait. Nothing is left of one that was cancelled.
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  source: () => globalThis.setTimeout,
  after(ms, run) {
    const timer: unknown = setTimeout(run, ms);
    const stop: StopTimer = () => clearTimeout(timer as number);
    if (canBeHeld(timer)) stop.hold = (alive) => (alive ? timer.ref() : timer.unref());
    return stop;
  },
};

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
  head: Deadline | undefined;
  tail: Deadline | undefined;
  stop: StopTimer;
  /** What the timer is of. */
  source: unknown;
}

export interface Deadlines {
  /**
   * Runs once when `ms` have passed, unless cancelled. Parts of a millisecond are rounded up; less than one, or not a
   * number, counts as one, as setTimeout has it.
   */
  add(ms: number, run: () => void): Deadline;
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

export function createDeadlines(clock: Clock = systemClock): Deadlines {
  const queues = new Map<number, DeadlineQueue>();
  let idleAllowed = mostIdle;

  function open(ms: number): DeadlineQueue {
    const queue: DeadlineQueue = { ms, head: undefined, tail: undefined, stop: () => {}, source: undefined };
    queues.set(ms, queue);
    arm(queue, ms);
    return queue;
  }

  function arm(queue: DeadlineQueue, delay: number): void {
    queue.source = clock.source?.();
    queue.stop = clock.after(Math.min(Math.ceil(delay), longestTimer), () => fire(queue));
  }

  /** Tests replace the timers of a process and put them back: what waits goes on by those that there are. */
  function renew(queue: DeadlineQueue, delay: number): void {
    queue.stop();
    arm(queue, delay);
  }

  /** A queue emptied while it fires can have a follower of the same duration by now, which stays. */
  function close(queue: DeadlineQueue): void {
    queue.stop();
    if (queues.get(queue.ms) === queue) queues.delete(queue.ms);
  }

  /** Nothing waits in the queue any more; its timer may find it empty, or filled again, when it fires. */
  function idle(queue: DeadlineQueue): void {
    if (queue.stop.hold === undefined || queues.size > idleAllowed) close(queue);
    else queue.stop.hold(false);
  }

  function rest(): void {
    for (const queue of queues.values()) if (queue.head === undefined) close(queue);
  }

  function fire(queue: DeadlineQueue): void {
    const now = clock.now();
    try {
      for (let head = queue.head; head !== undefined && head.due <= now; head = queue.head) {
        unlink(head, queue);
        head.run();
      }
    } finally {
      // A run that throws reaches the timer's owner, and the rest of the queue still gets its timer.
      if (queue.head === undefined) close(queue);
      else arm(queue, Math.max(1, queue.head.due - now));
    }
  }

  return {
    add(ms, run) {
      const whole = ms >= 1 ? Math.ceil(ms) : 1;
      const queue = queues.get(whole) ?? open(whole);
      const due = clock.now() + whole;
      if (queue.source !== clock.source?.()) renew(queue, whole);
      else if (queue.head === undefined) queue.stop.hold?.(true);
      return append(queue, due, run);
    },
    cancel(deadline) {
      const { queue } = deadline;
      if (queue === undefined) return;
      unlink(deadline, queue);
      if (queue.head === undefined) idle(queue);
    },
    left: ({ due }) => due - clock.now(),
    now: () => clock.now(),
    end() {
      idleAllowed = 0;
      rest();
    },
    rest,
  };
}

let ofProcess: Deadlines | undefined;

/** Those that clients have in common, since each would keep timers of its own. */
export function processDeadlines(): Deadlines {
  ofProcess ??= createDeadlines();
  return ofProcess;
}

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
