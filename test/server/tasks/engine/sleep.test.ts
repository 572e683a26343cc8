/** `ctx.sleep()` in tasks: it parks them beside requests and steps. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../../kit/deferred.ts';
import { closeEngines, cluster, create, type Handler, reached, textOf, viewOf } from './cluster.ts';

afterEach(closeEngines);

const approve = { message: 'Go on?', schema: z.object({ yes: z.boolean() }) };
const minute = 10_000;

describe('a task that sleeps', () => {
  it('waits without a worker, and goes on in any process as the same attempt', async () => {
    const { join, pass } = cluster();
    const runs: string[] = [];
    const handler =
      (name: string): Handler =>
      async (_, ctx) => {
        runs.push(name);
        await ctx.step('before', () => 1);
        await ctx.sleep('pause', 10 * minute);
        return `woken in ${name}`;
      };
    const first = join(handler('first'));
    const made = await create(first);
    const { task, row } = await reached(first, made, 'parked');
    expect(task.state).toEqual({ is: 'parked', open: [], wakeAt: row.createdAt + 10 * minute });
    await first.close();
    const second = join(handler('second'));
    await pass(9 * minute);
    expect(runs).toEqual(['first']);
    await pass(minute);
    expect((await reached(second, made, 'completed')).task).toMatchObject({ attempts: 1, crashes: 0 });
    expect(await textOf(second, made)).toBe('woken in second');
    expect(runs).toEqual(['first', 'second']);
  });

  it('has several sleeps at once, and wakes for the first of them', async () => {
    const { join, pass } = cluster();
    const woken: string[] = [];
    const engine = join(async (_, ctx) => {
      const sleeper = async (key: string, ms: number): Promise<void> => {
        await ctx.sleep(key, ms);
        await ctx.step(`after ${key}`, () => void woken.push(key));
      };
      await Promise.all([sleeper('long', 3 * minute), sleeper('short', minute), sleeper('longest', 5 * minute)]);
      return 'done';
    });
    const made = await create(engine);
    await reached(engine, made, 'parked');
    await pass(minute + 1000);
    expect(woken).toEqual(['short']);
    await reached(engine, made, 'parked');
    await pass(2 * minute);
    expect(woken).toEqual(['short', 'long']);
    await pass(2 * minute);
    await reached(engine, made, 'completed');
    expect(woken).toEqual(['short', 'long', 'longest']);
  });

  it('lets steps beside it go on one after the other', async () => {
    const { join, pass } = cluster();
    const steps: string[] = [];
    const engine = join(async (_, ctx) => {
      const work = async (): Promise<void> => {
        for (const key of ['one', 'two', 'three']) await ctx.step(key, () => void steps.push(key));
      };
      await Promise.all([ctx.sleep('pause', minute), work()]);
      return 'done';
    });
    const made = await create(engine);
    await reached(engine, made, 'parked');
    expect(steps).toEqual(['one', 'two', 'three']);
    await pass(minute + 1000);
    await reached(engine, made, 'completed');
    expect(steps).toEqual(['one', 'two', 'three']);
  });

  it('abandons a request when its sleep is over first', async () => {
    const { join, pass } = cluster();
    const engine = join(async (_, ctx) => {
      const late = ctx.sleep('patience', minute).then(() => 'no answer');
      return Promise.race([ctx.elicit('approve', approve).then(({ action }) => action), late]);
    });
    const made = await create(engine);
    expect((await reached(engine, made, 'parked')).task.state).toMatchObject({ open: ['1.approve'] });
    await pass(minute + 1000);
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('no answer');
  });

  it('goes on with an answer before its sleep is over', async () => {
    const { join } = cluster();
    const engine = join(async (_, ctx) => {
      const late = ctx.sleep('patience', minute).then(() => 'no answer');
      return Promise.race([ctx.elicit('approve', approve).then(({ action }) => action), late]);
    });
    const made = await create(engine);
    await engine.answer(await reached(engine, made, 'parked'), { '1.approve': { action: 'decline' } });
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('decline');
  });

  it('leaves a request that is open under the key that the client knows, also beside a new one', async () => {
    const { join, pass } = cluster();
    const engine = join(async (_, ctx) => {
      const first = ctx.elicit('first', approve);
      const second = ctx.sleep('pause', minute).then(() => ctx.elicit('second', approve));
      const [one, two] = await Promise.all([first, second]);
      return `${one.action} ${two.action}`;
    });
    const made = await create(engine);
    await reached(engine, made, 'parked');
    await pass(minute + 1000);
    const parked = await reached(engine, made, 'parked');
    expect(parked.task.state).toMatchObject({ open: ['1.first', '2.second'] });
    expect(Object.keys((await viewOf(engine, made)).journal.open)).toEqual(['1.first', '2.second']);
    await engine.answer(parked, { '1.first': { action: 'decline' }, '2.second': { action: 'cancel' } });
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('decline cancel');
  });

  it('takes the answer to a request that is open while it runs', async () => {
    const { join, pass } = cluster();
    const release = deferred();
    const running = deferred();
    const engine = join(async (_, ctx) => {
      const answer = ctx.elicit('approve', approve);
      await ctx.sleep('pause', minute);
      await ctx.step('slow', async () => {
        running.resolve();
        await release.promise;
      });
      return (await answer).action;
    });
    const made = await create(engine);
    await reached(engine, made, 'parked');
    await pass(minute + 1000);
    await running.promise;
    const busy = await reached(engine, made, 'running');
    await engine.answer(busy, { '1.approve': { action: 'decline' } });
    release.resolve();
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('decline');
    expect((await viewOf(engine, made)).task).toMatchObject({ attempts: 1, crashes: 0 });
  });

  it('does not count sleeps as requests for input, of which there is a limit', async () => {
    const { join, pass } = cluster();
    const engine = join(async (_, ctx) => {
      for (let n = 0; n < 20; n++) await ctx.sleep(`pause ${n}`, 1000);
      return `round ${ctx.round}`;
    });
    const made = await create(engine);
    await pass(60_000);
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('round 0');
  });

  it('fails where it waits again and again until its journal is full', async () => {
    const { join, pass, errors } = cluster();
    const handler: Handler = async (_, ctx) => {
      for (let n = 0; ; n++) await ctx.sleep(`pause ${n}`, 1000);
    };
    const engine = join(handler, { limits: { maxJournalEntries: 5 } });
    const made = await create(engine);
    await pass(20_000);
    expect((await reached(engine, made, 'failed')).task.message).toMatch(/^journal-full: /);
    expect(errors).toMatchObject([{ code: 'journal-full' }]);
    expect(await viewOf(engine, made)).toMatchObject({ journal: { outcome: { data: { reason: 'journal-full' } } } });
  });

  it('may have the names of properties of every object as keys', async () => {
    const { join, pass } = cluster();
    const steps: string[] = [];
    const engine = join(async (_, ctx) => {
      for (const key of ['__proto__', 'constructor', 'toString']) {
        await ctx.step(key, () => void steps.push(key));
        await ctx.sleep(key, 1000);
      }
      await Promise.all([ctx.elicit('valueOf', approve), ctx.sleep('hasOwnProperty', 1000)]);
      return 'done';
    });
    const made = await create(engine);
    await pass(10_000);
    const parked = await reached(engine, made, 'parked');
    expect(steps).toEqual(['__proto__', 'constructor', 'toString']);
    expect(parked.task.state).toMatchObject({ open: ['1.valueOf'] });
    await engine.answer(parked, { '1.valueOf': { action: 'accept', content: { yes: true } } });
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('done');
  });

  it('is refused a sleep under the key of one that is over: a loop would not wait', async () => {
    const { join, pass, errors } = cluster();
    const engine = join(async (_, ctx) => {
      for (;;) await ctx.sleep('pause', 1000);
    });
    const made = await create(engine);
    await pass(3000);
    await reached(engine, made, 'completed');
    expect(errors).toMatchObject([{ code: 'invalid-argument', details: { place: 'key' } }]);
  });

  it('does not fall back in its progress when it runs again', async () => {
    const { join, pass } = cluster();
    const [reported, go] = [deferred(), deferred()];
    const engine = join(async (_, ctx) => {
      ctx.reportProgress(1, 3, 'begun');
      await ctx.step('one', () => 1);
      ctx.reportProgress(2, 3, 'half');
      await ctx.step('beaten', async () => {
        reported.resolve();
        await go.promise;
      });
      await ctx.sleep('pause', minute);
      return 'done';
    });
    const made = await create(engine);
    await reported.promise;
    // A beat writes the progress.
    await pass(6000);
    expect((await viewOf(engine, made)).task.progress).toMatchObject({ progress: 2 });
    go.resolve();
    await reached(engine, made, 'parked');
    await pass(2 * minute);
    await reached(engine, made, 'completed');
    expect((await viewOf(engine, made)).task.progress).toMatchObject({ progress: 2 });
  });

  it('is refused a sleep beyond its deadline, with what to raise', async () => {
    const { join, errors } = cluster();
    const engine = join(async (_, ctx) => {
      await ctx.sleep('winter', 100 * 86_400_000);
      return 'never';
    });
    const made = await create(engine);
    await reached(engine, made, 'completed');
    expect(errors).toMatchObject([{ code: 'invalid-argument', message: expect.stringContaining('deadlineMs') }]);
  });

  it('sleeps as long as it should where the clock of the store is set while it runs', async () => {
    const { join, pass, setStoreClock } = cluster();
    const woken: string[] = [];
    const engine = join(async (_, ctx) => {
      await ctx.step('set', () => setStoreClock(-60 * minute));
      const sleeper = async (key: string, ms: number): Promise<void> => {
        await ctx.sleep(key, ms);
        await ctx.step(`after ${key}`, () => void woken.push(key));
      };
      await Promise.all([sleeper('short', minute), sleeper('long', 2 * minute)]);
      return 'done';
    });
    const made = await create(engine);
    await reached(engine, made, 'parked');
    await pass(minute + 1000);
    expect(woken).toEqual(['short']);
    await pass(minute + 1000);
    await reached(engine, made, 'completed');
    expect(woken).toEqual(['short', 'long']);
  });
});
