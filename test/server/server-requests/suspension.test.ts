/** A question that ends the run: the outcome is fixed, whatever the handler does about it. */

import type { CallOutcome, Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form, formModes, opened, repeatingModes, run } from '../../kit/server-request-modes.ts';

const answers = { elicitForm: filledBy({}) };
const value = async (context: Context, key: string): Promise<unknown> => {
  const answer = await context.elicit(key, form(key));
  return answer.action === 'accept' ? answer.content.value : answer.action;
};

describe.each(repeatingModes)('A run that a question ends, $name', (mode) => {
  it('is over although the handler catches all and returns something else', async () => {
    let runs = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        runs += 1;
        try {
          return `asked ${await value(context, 'a')}`;
        } catch {
          return 'swallowed';
        }
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('asked a');
    expect(runs).toBe(2);
  });

  it('is over although the handler throws something of its own instead', async () => {
    const { client, failures } = await opened(
      mode,
      async (context) => `asked ${await value(context, 'a').catch(() => Promise.reject(new Error('mine')))}`,
      { handlers: answers },
    );
    expect(await run(client)).toBe('asked a');
    expect(failures).toEqual([]);
  });

  it('runs its finally blocks, with the signal aborted and every later call of the context refused', async () => {
    const seen: unknown[] = [];
    const logs: unknown[] = [];
    const gone = deferred();
    const { client } = await opened(
      mode,
      async (context) => {
        const { round, signal } = context;
        try {
          return String(await value(context, 'a'));
        } catch (error) {
          seen.push((error as { code: string }).code);
          throw error;
        } finally {
          if (round === 0) {
            seen.push(signal.aborted);
            context.log('error', 'too late');
            for (const late of [() => value(context, 'b'), () => context.step('s', () => 1), () => context.listRoots()])
              await late().catch(({ code }) => seen.push(code));
            gone.resolve();
          }
        }
      },
      { handlers: answers, logLevel: 'debug', onLog: ({ data }) => logs.push(data) },
    );
    expect(await run(client)).toBe('a');
    await gone.promise;
    expect(seen).toEqual(['input-required', true, 'input-required', 'input-required', 'input-required']);
    expect(logs).toEqual([]);
  });

  it('is heard of by middleware as any other end, once for each round', async () => {
    const received: Array<[CallOutcome['resultType'], number]> = [];
    const { client } = await opened(mode, async (context) => `asked ${await value(context, 'a')}`, {
      handlers: answers,
      server: {
        middleware: [
          async ({ ctx: context }, next) => {
            const settled = await next();
            received.push([settled.resultType, context.round]);
            return settled;
          },
        ],
      },
    });
    expect(await run(client)).toBe('asked a');
    expect(received).toEqual([
      ['input_required', 0],
      ['complete', 1],
    ]);
  });

  it('leaves no rejection behind that nobody handles', async () => {
    const stray: unknown[] = [];
    const note = (reason: unknown): unknown => stray.push(reason);
    process.on('unhandledRejection', note);
    const { client } = await opened(
      mode,
      async (context) => {
        const later = context.elicit('later', form('later'));
        const several = context.requestInput({ c: form('c'), d: form('d') });
        const first = await value(context, 'first');
        return `${first} ${(await later).action} ${Object.keys(await several).join('')}`;
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('first accept cd');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(stray).toEqual([]);
  });
});

describe.each(formModes)('A handler that asks, $name', (mode) => {
  it('asks side by side in one round, by Promise.all or by ctx.ask', async () => {
    let runs = 0;
    const rounds: string[][] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        runs += 1;
        const both = await Promise.all([value(context, 'a'), value(context, 'b')]);
        const { c, d } = await context.requestInput({ c: form('c'), d: form('d') });
        return `${both.join()} ${c.action} ${d.action}`;
      },
      {
        handlers: {
          elicitForm: async ({ message }) => {
            rounds.push([message]);
            return { action: 'accept', content: { value: message } };
          },
        },
      },
    );
    expect(await run(client)).toBe('a,b accept accept');
    expect(rounds.flat()).toEqual(['a', 'b', 'c', 'd']);
    expect(runs).toBe(mode.repeats ? 3 : 1);
  });

  it('asks one after another, each answer deciding what comes next', async () => {
    const { client } = await opened(
      mode,
      async (context) => {
        const way = await value(context, 'way');
        return way === 'left' ? `left ${await value(context, 'left')}` : `right ${await value(context, 'right')}`;
      },
      { handlers: { elicitForm: filledBy({ way: 'left', left: 'door' }) } },
    );
    expect(await run(client)).toBe('left door');
  });

  it('gets the same answer under the same key, asked at once or again, and is asked once', async () => {
    let requested = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        const both = await Promise.all([value(context, 'a'), value(context, 'a')]);
        return [...both, await value(context, 'a')].join();
      },
      { handlers: { elicitForm: () => ({ action: 'accept', content: { value: String((requested += 1)) } }) } },
    );
    expect(await run(client)).toBe('1,1,1');
  });

  it('that asks two things under one key fails as replay-diverged, side by side or one after the other', async () => {
    for (const sideBySide of [true, false]) {
      const { client } = await opened(
        mode,
        async (context) => {
          const first = context.elicit('a', form('one'));
          if (!sideBySide) await first;
          const failed = await context.elicit('a', form('two')).catch((error) => error.code);
          await first;
          return failed;
        },
        { handlers: answers },
      );
      expect(await run(client)).toBe('replay-diverged');
    }
  });

  it('that asks several of which one cannot be asked asks none', async () => {
    let requested = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        const several = context.requestInput({ a: form('a'), b: { message: 'b', url: 'https://a.example' } });
        return several.then(
          () => 'asked',
          (error) => error.code,
        );
      },
      { handlers: { elicitForm: () => ({ action: 'cancel', ...(requested++ && {}) }) } },
    );
    expect(await run(client)).toBe('capability-not-supported');
    expect(requested).toBe(0);
  });
});

describe.each(repeatingModes)('A handler that is run again, $name', (mode) => {
  it('never gets an old answer to a new question: it fails as replay-diverged', async () => {
    let runs = 0;
    const { client, failures } = await opened(
      mode,
      async (context) => {
        runs += 1;
        return `got ${await context.elicit('a', form(`question ${runs}`)).then(({ action }) => action)}`;
      },
      { handlers: answers },
    );
    expect(await client.tools.call('it')).toMatchObject({ isError: true });
    expect(failures).toMatchObject([{ code: 'replay-diverged' }]);
  });

  it('may take another branch under another key', async () => {
    let runs = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        runs += 1;
        return `got ${await value(context, runs === 1 ? 'first' : 'second')}`;
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('got second');
  });
});
