/** A server request that suspends the run: the outcome is fixed, whatever the handler does afterwards. */

import type { CallOutcome, Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form, formModes, opened, repeatingModes, run } from '../../kit/server-request-modes.ts';

const answers = { elicitForm: filledBy({}) };
const value = async (context: Context, key: string): Promise<unknown> => {
  const answer = await context.elicit(key, form(key));
  return answer.action === 'accept' ? answer.content.value : answer.action;
};

describe.each(repeatingModes)('A run that a server request suspends, $name', (mode) => {
  it('stays suspended if the handler catches the error and returns another result', async () => {
    let runs = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        runs += 1;
        try {
          return `got ${await value(context, 'a')}`;
        } catch {
          return 'swallowed';
        }
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('got a');
    expect(runs).toBe(2);
  });

  it('stays suspended if the handler throws another error instead', async () => {
    const { client, failures } = await opened(
      mode,
      async (context) => `got ${await value(context, 'a').catch(() => Promise.reject(new Error('mine')))}`,
      { handlers: answers },
    );
    expect(await run(client)).toBe('got a');
    expect(failures).toEqual([]);
  });

  it('runs its finally blocks with an aborted signal, and later calls of the context are rejected', async () => {
    const seen: unknown[] = [];
    const logs: unknown[] = [];
    const finished = deferred();
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
            finished.resolve();
          }
        }
      },
      { handlers: answers, logLevel: 'debug', onLog: ({ data }) => logs.push(data) },
    );
    expect(await run(client)).toBe('a');
    await finished.promise;
    expect(seen).toEqual(['input-required', true, 'input-required', 'input-required', 'input-required']);
    expect(logs).toEqual([]);
  });

  it('is seen by middleware as an outcome, once for each round', async () => {
    const received: Array<[CallOutcome['resultType'], number]> = [];
    const { client } = await opened(mode, async (context) => `got ${await value(context, 'a')}`, {
      handlers: answers,
      server: {
        middleware: [
          async ({ ctx: context }, next) => {
            const outcome = await next();
            received.push([outcome.resultType, context.round]);
            return outcome;
          },
        ],
      },
    });
    expect(await run(client)).toBe('got a');
    expect(received).toEqual([
      ['input_required', 0],
      ['complete', 1],
    ]);
  });

  it('leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const onRejection = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', onRejection);
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
    process.off('unhandledRejection', onRejection);
    expect(unhandled).toEqual([]);
  });
});

describe.each(formModes)('A handler with server requests, $name', (mode) => {
  it('sends concurrent ones in one round, with Promise.all or ctx.requestInput', async () => {
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

  it('sends them one after another, each depending on the previous answer', async () => {
    const { client } = await opened(
      mode,
      async (context) => {
        const direction = await value(context, 'direction');
        return direction === 'left' ? `left ${await value(context, 'left')}` : `right ${await value(context, 'right')}`;
      },
      { handlers: { elicitForm: filledBy({ direction: 'left', left: 'door' }) } },
    );
    expect(await run(client)).toBe('left door');
  });

  it('gets the same answer for the same key, concurrently or later, and sends one request', async () => {
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

  it('that uses one key for two requests fails as replay-diverged, concurrently or in sequence', async () => {
    for (const isConcurrent of [true, false]) {
      const { client } = await opened(
        mode,
        async (context) => {
          const first = context.elicit('a', form('one'));
          if (!isConcurrent) await first;
          const failed = await context.elicit('a', form('two')).catch((error) => error.code);
          await first;
          return failed;
        },
        { handlers: answers },
      );
      expect(await run(client)).toBe('replay-diverged');
    }
  });

  it('that sends several at once sends none if one is not supported', async () => {
    let requested = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        const several = context.requestInput({ a: form('a'), b: { message: 'b', url: 'https://a.example' } });
        return several.then(
          () => 'answered',
          (error) => error.code,
        );
      },
      { handlers: { elicitForm: () => ({ action: 'cancel', ...(requested++ && {}) }) } },
    );
    expect(await run(client)).toBe('capability-not-supported');
    expect(requested).toBe(0);
  });
});

describe.each(repeatingModes)('A handler that runs again, $name', (mode) => {
  it('never gets an old answer to a changed request: it fails as replay-diverged', async () => {
    let runs = 0;
    const { client, failures } = await opened(
      mode,
      async (context) => {
        runs += 1;
        return `got ${await context.elicit('a', form(`message ${runs}`)).then(({ action }) => action)}`;
      },
      { handlers: answers },
    );
    expect(await client.tools.call('it')).toMatchObject({ isError: true });
    expect(failures).toMatchObject([{ code: 'replay-diverged' }]);
  });

  it('can take another branch with another key', async () => {
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
