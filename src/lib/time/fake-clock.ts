/** A clock for tests: time passes only by `advance`. */

import type { Clock } from './deadlines.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** How many timers wait. */
  readonly pending: number;
  /** Advances the time by `ms` and runs the timers that fall due, in order; timers that they start count too. */
  advance(ms: number): void;
}

interface FakeTimer {
  readonly due: number;
  readonly run: () => void;
}

/** Makes a clock for tests: timers fire only when the test advances it. */
export function createFakeClock(): FakeClock {
  const timers = new Set<FakeTimer>();
  let time = 0;

  /** The earliest timer due by `limit`; of equals the one set first. */
  function next(limit: number): FakeTimer | undefined {
    let earliest: FakeTimer | undefined;
    for (const timer of timers) {
      if (timer.due <= limit && (earliest === undefined || timer.due < earliest.due)) earliest = timer;
    }
    return earliest;
  }

  return {
    now: () => time,
    get pending() {
      return timers.size;
    },
    after(ms, run) {
      const timer = { due: time + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const limit = time + ms;
      for (let timer = next(limit); timer !== undefined; timer = next(limit)) {
        timers.delete(timer);
        time = Math.max(time, timer.due);
        timer.run();
      }
      time = limit;
    },
  };
}
