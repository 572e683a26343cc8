import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../jsonrpc/deadlines.ts';
import { createFakeClock } from '../../jsonrpc/fake-clock.ts';
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

describe('A call that pauses', () => {
  it.each<[string, (setting: ReturnType<typeof setUp>) => void]>([
    ['its time has passed', ({ clock }) => clock.advance(100)],
    ['its caller gives it up', ({ abort }) => abort()],
    ['nothing can be sent any more', ({ pauses }) => pauses.endAll()],
  ])('goes on when %s, and leaves nothing behind', async (_, end) => {
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

  it('goes on at once where it was given up before', async () => {
    const { pauses, clock, signal, abort } = setUp();
    abort();
    await pauses.wait(100, signal);
    expect(clock.pending).toBe(0);
  });
});
