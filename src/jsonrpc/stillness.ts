/** Time that stands still while somebody pauses it, so that what waits is not held to it. */
import type { Deadlines } from './deadlines.ts';

export interface Stillness {
  /** How long it has stood still, all in all. */
  total(): number;
  /** Pairs of `pause` and `resume` may overlap. */
  pause(): void;
  resume(): void;
  /** Runs at once while time runs, else when it runs again. */
  whenRunning(run: () => unknown): void;
}

export function createStillness(deadlines: Deadlines): Stillness {
  let pauses = 0;
  let since = 0;
  let past = 0;
  let parked: Array<() => unknown> = [];
  return {
    total: () => (pauses === 0 ? past : past + deadlines.now() - since),
    pause() {
      if (pauses === 0) since = deadlines.now();
      pauses++;
    },
    resume() {
      pauses--;
      if (pauses > 0) return;
      past += deadlines.now() - since;
      const woken = parked;
      parked = [];
      for (const run of woken) run();
    },
    whenRunning(run) {
      if (pauses === 0) run();
      else parked.push(run);
    },
  };
}
