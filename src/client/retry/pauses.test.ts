/** Pauses before a call is sent again. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../lib/time/deadlines.ts';
import { createFakeClock } from '../../lib/time/fake-clock.ts';
import { Pauses } from './pauses.ts';

function setUp() {
  const clock = createFakeClock();
  const { signal, abort } = aborter();
  return { clock, signal, abort, pauses: new Pauses(createDeadlines(clock)) };
}

function aborter() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('a paused call', () => {
  it.each<[string, (setting: ReturnType<typeof setUp>) => void]>([
    ['its time has passed', ({ clock }) => clock.advance(100)],
    ['its caller cancels it', ({ abort }) => abort()],
    ['all pauses are ended', ({ pauses }) => pauses.endAll()],
  ])('continues when %s, and leaves no timer and no listener', async (_, end) => {
    const setting = setUp();
    const { pauses, signal, clock } = setting;
    const pause = pauses.wait(100, signal);
    expect(clock.pending).toBe(1);
    end(setting);
    await pause;
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    pauses.endAll();
  });

  it('continues at once if it was cancelled before', async () => {
    const { pauses, clock, signal, abort } = setUp();
    abort();
    await pauses.wait(100, signal);
    expect(clock.pending).toBe(0);
  });
});
