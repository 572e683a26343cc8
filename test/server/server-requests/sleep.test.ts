/** `ctx.sleep()` in calls that are no tasks. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { formModes, opened, repeatingModes } from '../../kit/server-request-modes.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const question = { message: 'Who?', schema: z.object({ name: z.string() }) };

describe('ctx.sleep() in a plain call', () => {
  it.each(formModes)('waits in the process ($name)', async (mode) => {
    const clock = createFakeClock();
    const asleep = deferred();
    const { client } = await opened(
      mode,
      async (ctx) => {
        const slept = ctx.sleep('pause', 60_000);
        asleep.resolve();
        await slept;
        return 'woken';
      },
      { server: withClock(clock) },
    );
    let isOver = false;
    const called = client.tools.call('it').finally(() => {
      isOver = true;
    });
    await asleep.promise;
    // The moment of its end is on the clock of the machine, which may have gone on since.
    clock.advance(50_000);
    await turn();
    expect(isOver).toBe(false);
    clock.advance(10_000);
    expect((await called).content).toEqual([{ type: 'text', text: 'woken' }]);
  });

  it.each(repeatingModes)('is not repeated when the handler runs again with an answer ($name)', async (mode) => {
    const clock = createFakeClock();
    const asleep = deferred();
    let runs = 0;
    const { client } = await opened(
      mode,
      async (ctx) => {
        runs++;
        const slept = ctx.sleep('pause', 1);
        asleep.resolve();
        await slept;
        const { action } = await ctx.elicit('who', question);
        return `${action}`;
      },
      { server: withClock(clock), handlers: { elicitForm: () => ({ action: 'decline' as const }) } },
    );
    const called = client.tools.call('it');
    await asleep.promise;
    // The moment of its end is on the clock of the machine.
    const end = Date.now() + 1;
    while (Date.now() <= end) await turn();
    clock.advance(1);
    expect((await called).content).toEqual([{ type: 'text', text: 'decline' }]);
    expect(runs).toBe(2);
  });

  it.each(formModes)('ends with the time limit of the call ($name)', async (mode) => {
    const clock = createFakeClock();
    const asleep = deferred();
    const woken = deferred<unknown>();
    const { client } = await opened(
      mode,
      async (ctx) => {
        const slept = ctx.sleep('pause', 60_000);
        asleep.resolve();
        await slept.catch((error: unknown) => {
          woken.resolve(error);
          throw error;
        });
        return 'too late';
      },
      { server: { timeoutMs: 1000, ...withClock(clock) } },
    );
    const called = client.tools.call('it');
    await asleep.promise;
    clock.advance(1000);
    await expect(called).rejects.toMatchObject({ reason: 'timeout' });
    expect(await woken.promise).toMatchObject({ code: 'input-required' });
    expect(clock.pending).toBe(0);
  });

  it('is refused where it is longer than a process should wait, or has no key or time', async () => {
    const refused: unknown[] = [];
    const { client } = await opened(formModes[0] as never, async (ctx) => {
      const sleep = ctx.sleep as (...given: unknown[]) => Promise<void>;
      for (const given of [['long', 300_001], ['none'], ['past', -1], ['odd', Number.NaN], [60_000, 'key']])
        await sleep(...given).catch((error: unknown) => refused.push(error));
      return 'done';
    });
    await client.tools.call('it');
    const texts = ['task', 'milliseconds', 'milliseconds', 'milliseconds', "ctx.sleep('a-name'"];
    expect(refused).toMatchObject(
      texts.map((text) => ({ code: 'invalid-argument', message: expect.stringContaining(text) })),
    );
  });
});
