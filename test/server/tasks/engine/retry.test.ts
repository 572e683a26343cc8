/** Handlers of tasks that throw: which run again, and when. */
import { RpcError, ToolError } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../../src/server/lifecycle/tasks/engine/retry.ts';
import { closeEngines, cluster, create, reached, textOf, viewOf } from './cluster.ts';

afterEach(closeEngines);

const retry = { attempts: 3, backoffMs: 4000 };

describe('a task whose handler throws', () => {
  it('is tried again after a pause, without its stored steps, and says so meanwhile', async () => {
    const { join, pass, errors } = cluster();
    let runs = 0;
    let steps = 0;
    const engine = join(
      async (_, ctx) => {
        await ctx.step('paid', () => void steps++);
        runs++;
        if (runs < 3) throw new Error(`failure ${runs}`);
        return 'done at last';
      },
      { task: { retry } },
    );
    const made = await create(engine);
    await expect.poll(async () => (await viewOf(engine, made)).task.attempts).toBe(1);
    const waiting = await reached(engine, made, 'ready');
    expect(waiting.task).toMatchObject({ attempts: 1, message: expect.stringMatching(/^Attempt 1 of 3 has failed/) });
    await pass(4000 + 8000 + 2000);
    expect((await reached(engine, made, 'completed')).task).toMatchObject({ attempts: 3, crashes: 0 });
    expect((await viewOf(engine, made)).task).not.toHaveProperty('message');
    expect(await textOf(engine, made)).toBe('done at last');
    expect([runs, steps]).toEqual([3, 1]);
    expect(errors).toMatchObject([{ message: 'failure 1' }, { message: 'failure 2' }]);
  });

  it('ends with its last failure', async () => {
    const { join, pass } = cluster();
    let runs = 0;
    const engine = join(
      () => {
        runs++;
        throw new Error('private');
      },
      { task: { retry: { attempts: 2, backoffMs: 0 } } },
    );
    const made = await create(engine);
    await pass(3000);
    expect((await reached(engine, made, 'completed')).task).toMatchObject({ isToolError: true, attempts: 2 });
    expect(await textOf(engine, made)).toBe('The tool report failed.');
    expect(runs).toBe(2);
  });

  it.each([
    ['a ToolError', () => new ToolError('The card was declined.')],
    ['an RpcError', () => new RpcError(-32602, 'No such customer')],
  ])('is not tried again for %s, which is meant for its client', async (_name, error) => {
    const { join } = cluster();
    let runs = 0;
    const engine = join(
      () => {
        runs++;
        throw error();
      },
      { task: { retry } },
    );
    const made = await create(engine);
    await Promise.race([reached(engine, made, 'completed'), reached(engine, made, 'failed')]);
    expect(runs).toBe(1);
  });

  it('is not tried again after it was cancelled', async () => {
    const { join, pass } = cluster();
    let runs = 0;
    const engine = join(
      (_, { signal }) => {
        runs++;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      },
      { task: { retry } },
    );
    const made = await create(engine);
    await engine.cancel(await reached(engine, made, 'running'));
    await pass(20_000);
    expect((await viewOf(engine, made)).task.state.is).toBe('cancelled');
    expect(runs).toBe(1);
  });

  it('ends at its deadline while it waits to be tried again', async () => {
    const { join, pass } = cluster();
    let runs = 0;
    const engine = join(
      () => {
        runs++;
        throw new Error('again');
      },
      { task: { retry: { attempts: 100, backoffMs: 60_000 } } },
    );
    const made = await create(engine, { deadlineMs: 30_000 });
    await pass(120_000);
    expect((await viewOf(engine, made)).task).toMatchObject({
      state: { is: 'failed' },
      message: 'The deadline of the task has passed',
    });
    expect(runs).toBeLessThan(10);
  });

  it('counts a run after a sleep as the same attempt', async () => {
    const { join, pass } = cluster();
    let runs = 0;
    const engine = join(
      async (_, ctx) => {
        runs++;
        await ctx.sleep('pause', 2000);
        if (runs < 3) throw new Error('once more');
        return 'done';
      },
      { task: { retry: { attempts: 2, backoffMs: 0 } } },
    );
    const made = await create(engine);
    await pass(10_000);
    expect((await reached(engine, made, 'completed')).task.attempts).toBe(2);
    expect(await textOf(engine, made)).toBe('done');
  });
});

describe('the pause before the next attempt', () => {
  it('is random up to a limit that doubles, and never more than the longest pause', () => {
    const rule = { attempts: 10, backoffMs: 1000, maxBackoffMs: 5000 };
    const longest = [1, 2, 3, 4, 50].map((attempts) => retryDelayMs(rule, attempts, 1));
    expect(longest).toEqual([1000, 2000, 4000, 5000, 5000]);
    expect(retryDelayMs(rule, 3, 0)).toBe(0);
    expect(retryDelayMs(rule, 3, 0.25)).toBe(1000);
  });
});
