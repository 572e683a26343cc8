/** Virtual time: all timers of the process run in one order, and only when the simulation lets time pass. */
import { TimerQueue, type VirtualTimer } from './timer-queue.ts';

/** Where virtual time begins, in milliseconds since 1970. */
const start = 1_700_000_000_000;

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
const realDateNow = Date.now;
const realPerformanceNow = performance.now;

let queue = new TimerQueue();
let time = 0;
/** How far the clock of the machine was set back; timers and `performance.now` know nothing of it. */
let setBackMs = 0;

type Callback = (...given: unknown[]) => void;

const after = (run: Callback, ms = 0, ...given: unknown[]): VirtualTimer =>
  queue.add(time + Math.max(1, ms), () => run(...given));

function every(run: Callback, ms = 1, ...given: unknown[]): VirtualTimer {
  const period = Math.max(1, ms);
  const timer = queue.add(time + period, () => {
    queue.repeat(timer, time + period);
    run(...given);
  });
  return timer;
}

const cancel = (timer: unknown): void => queue.cancel(timer as VirtualTimer | undefined);

/** Replaces the clock and the timers of the process. */
export function startTime(): void {
  queue = new TimerQueue();
  time = 0;
  setBackMs = 0;
  Object.assign(globalThis, {
    setTimeout: after,
    clearTimeout: cancel,
    setInterval: every,
    clearInterval: cancel,
    setImmediate: (run: Callback, ...given: unknown[]) => after(run, 0, ...given),
    clearImmediate: cancel,
  });
  Date.now = () => start + time - setBackMs;
  performance.now = () => time;
}

/** Drops all timers and brings the real clock back. */
export function stopTime(): void {
  Object.assign(globalThis, real);
  Date.now = realDateNow;
  performance.now = realPerformanceNow;
  queue = new TimerQueue();
}

/** Milliseconds since the beginning. */
export const now = (): number => time;

/** Sets the clock of the machine back, as an administrator or a time server does it. */
export const setClockBack = (ms: number): void => void (setBackMs += ms);

/** The last thing that takes real time: one after the other, in the order in which they were begun. */
let outside: Promise<unknown> = Promise.resolve();

/** Runs something that takes real time, such as a command of a database. Virtual time stands still until it has ended. */
export async function outsideTime<T>(run: () => Promise<T>): Promise<T> {
  const ran = outside.then(run);
  outside = ran.catch(() => undefined);
  return ran;
}

/** Waits until nothing is left to do at this moment: nothing outside, no promise and no tick. */
async function settled(): Promise<void> {
  for (let last: unknown; last !== outside; ) {
    last = outside;
    await last;
    await new Promise((resolve) => void real.setImmediate(resolve));
  }
}

/** Lets time pass, timer by timer, until the condition holds or the time has come. */
export async function runUntil(isDone: () => boolean, limitMs: number): Promise<void> {
  await settled();
  while (!isDone() && time < limitMs) {
    const timer = queue.next();
    if (timer === undefined) return;
    time = Math.max(time, timer.due);
    timer.run();
    await settled();
  }
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => void after(() => resolve(), ms));

/** A promise that a killed process would never fulfil. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {});
