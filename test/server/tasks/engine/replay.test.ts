/** Handlers that have changed since their task began, and requests that failed. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RpcError } from '../../../../src/jsonrpc/errors.ts';
import { closeEngines, cluster, create, type Handler, reached, textOf, viewOf } from './cluster.ts';

afterEach(closeEngines);

const question = (message: string) => ({ message, schema: z.object({ yes: z.boolean().optional() }) });

/** Runs a task by one handler until it waits for `go`, and then by another one. */
async function replayed(first: Handler, second: Handler) {
  const { join, errors } = cluster();
  const wait: Handler = async (given, ctx) => {
    await first(given, ctx);
    await ctx.elicit('go', question('Go on?'));
  };
  const before = join(wait);
  const made = await create(before);
  const parked = await reached(before, made, 'parked');
  const open = (parked.task.state as { readonly open: readonly string[] }).open.find((key) => key.endsWith('.go'));
  await before.close();
  const after = join(async (given, ctx) => {
    await ctx.elicit('go', question('Go on?'));
    return second(given, ctx);
  });
  await after.answer(parked, { [String(open)]: { action: 'accept', content: {} } });
  await Promise.race([reached(after, made, 'completed'), reached(after, made, 'failed')]);
  return { view: await viewOf(after, made), text: await textOf(after, made), errors };
}

const step: Handler = (_, ctx) => ctx.step('it', () => 'stepped');
const sleep: Handler = (_, ctx) => ctx.sleep('it', 0);
const long: Handler = (_, ctx) => {
  void ctx.sleep('it', 60_000);
};
const ask: Handler = async (_, ctx) => {
  const { action } = await ctx.elicit('it', question('Which one?'));
  return action;
};

describe('a task whose handler has changed', () => {
  it.each<[string, Handler, Handler]>([
    ['a step that became a request', step, ask],
    ['a step that became a sleep', step, sleep],
    ['a sleep that became a step', long, step],
    ['a sleep that became a request', long, ask],
  ])('fails as replay-diverged: %s', async (_name, first, second) => {
    const { view, errors } = await replayed(first, second);
    expect(view.task).toMatchObject({ state: { is: 'failed' }, message: expect.stringMatching(/^replay-diverged: /) });
    expect((view.journal.outcome as RpcError).data).toEqual({ reason: 'replay-diverged' });
    expect(errors).toMatchObject([{ code: 'replay-diverged', hint: expect.stringContaining('task.version') }]);
  });

  it.each<[string, Handler]>([
    ['a request that became a step', step],
    ['a request that became a sleep', sleep],
    [
      'a request that asks for something else',
      (_, ctx) => ctx.elicit('it', question('What?')).then(() => 'answered') as never,
    ],
  ])('fails as replay-diverged: %s', async (_name, second) => {
    const { join, errors } = cluster();
    const before = join(ask);
    const made = await create(before);
    const parked = await reached(before, made, 'parked');
    await before.close();
    const after = join(second);
    await after.answer(parked, { '1.it': { action: 'decline' } });
    await reached(after, made, 'failed');
    expect((await viewOf(after, made)).task.message).toMatch(/^replay-diverged: /);
    expect(errors).toMatchObject([{ code: 'replay-diverged' }]);
  });

  it('fails even if its handler catches the error, and is not tried again', async () => {
    const { join } = cluster();
    const before = join(ask);
    const made = await create(before);
    const parked = await reached(before, made, 'parked');
    await before.close();
    let runs = 0;
    const after = join(
      async (given, ctx) => {
        runs++;
        await Promise.resolve(step(given, ctx)).catch(() => {});
        throw new Error('of the handler');
      },
      { task: { retry: { attempts: 5, backoffMs: 0 } } },
    );
    await after.answer(parked, { '1.it': { action: 'decline' } });
    await reached(after, made, 'failed');
    expect(runs).toBe(1);
  });

  it('goes on where its keys come in another order, or are new, or are not used any more', async () => {
    const first: Handler = async (_, ctx) => {
      await ctx.step('one', () => 1);
      await ctx.step('two', () => 2);
      await ctx.step('three', () => 3);
    };
    const second: Handler = async (_, ctx) => {
      const two = await ctx.step('two', () => 'again');
      const four = await ctx.step('four', () => 4);
      const one = await ctx.step('one', () => 'again');
      return `${two} ${four} ${one}`;
    };
    expect((await replayed(first, second)).text).toBe('2 4 1');
  });

  it('may use one key for a step and a request, in every run', async () => {
    const both: Handler = async (_, ctx) => {
      const value = await ctx.step('it', () => 'stepped');
      const { action } = await ctx.elicit('it', question('Which one?'));
      return `${value} ${action}`;
    };
    const { join } = cluster();
    const engine = join(both);
    const made = await create(engine);
    await engine.answer(await reached(engine, made, 'parked'), { '1.it': { action: 'decline' } });
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('stepped decline');
  });
});

describe('a request that failed', () => {
  it('is the same error in every later run', async () => {
    const { join } = cluster();
    const caught: unknown[] = [];
    const engine = join(async (_, ctx) => {
      await ctx.elicit('it', question('Which one?')).catch((error: unknown) => caught.push(error));
      const { action } = await ctx.elicit('then', question('And then?'));
      return action;
    });
    const made = await create(engine);
    await engine.answer(await reached(engine, made, 'parked'), { '1.it': new Error('The client has gone.') });
    for (;;) {
      const parked = await reached(engine, made, 'parked');
      const answered = await engine.answer(parked, { '2.then': { action: 'decline' } });
      if (typeof answered !== 'string') break;
    }
    await reached(engine, made, 'completed');
    expect(await textOf(engine, made)).toBe('decline');
    const failure = { code: 'server-request-failed', cause: { message: 'The client has gone.' } };
    expect(caught).toMatchObject([{ code: 'input-required' }, failure, failure]);
  });
});
