/** How often the progress of a run is written. */
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import { PacedProgress, progressMs } from './paced-progress.ts';
import type { TaskProgress } from './task.ts';

function paced() {
  const clock = createFakeClock();
  const written: TaskProgress[] = [];
  const progress = new PacedProgress({
    write: async (one) => written.push(one),
    pause: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { progress, written, pass };
}

describe('the progress of a run', () => {
  it('is written at once, then four times a second at most, and the latest wins', async () => {
    const { progress, written, pass } = paced();
    for (let n = 1; n <= 100; n++) progress.report({ progress: n });
    await pass(0);
    expect(written).toEqual([{ progress: 1 }]);
    await pass(progressMs - 1);
    expect(written).toHaveLength(1);
    await pass(1);
    expect(written).toEqual([{ progress: 1 }, { progress: 100 }]);
    await pass(progressMs);
    progress.report({ progress: 101 });
    await pass(0);
    expect(written.at(-1)).toEqual({ progress: 101 });
    expect(written).toHaveLength(3);
  });

  it('that is not written yet can be taken, and is then written by its taker', async () => {
    const { progress, written, pass } = paced();
    progress.report({ progress: 1 });
    progress.report({ progress: 2 });
    await pass(0);
    expect(progress.take()).toEqual({ progress: 2 });
    await pass(progressMs);
    expect(written).toEqual([{ progress: 1 }]);
    expect(progress.take()).toBeUndefined();
  });
});
