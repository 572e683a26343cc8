/** Virtual time: all timers of the process run in one order, and only when the simulation lets time pass. */
import { vi } from 'vitest';

const nextTurn = setImmediate;

/** Where virtual time begins, in milliseconds since 1970. */
const start = 1_700_000_000_000;

export const startTime = (): void =>
  void vi.useFakeTimers({
    now: start,
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'setImmediate',
      'clearImmediate',
      'Date',
      'performance',
    ],
  });

/** Drops all timers and brings the real clock back. */
export const stopTime = (): void => void vi.useRealTimers();

/** Milliseconds since the beginning. */
export const now = (): number => Date.now() - start;

/** Waits until nothing is left to do at this moment: no promise, no tick, no timer that is due. */
const settled = (): Promise<void> => new Promise((resolve) => nextTurn(() => resolve()));

/** Lets time pass, timer by timer, until the condition holds or the time has come. */
export async function runUntil(isDone: () => boolean, limitMs: number): Promise<void> {
  await settled();
  while (!isDone() && now() < limitMs && vi.getTimerCount() > 0) {
    vi.advanceTimersToNextTimer();
    await settled();
  }
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** A promise that a killed process would never fulfil. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {});
