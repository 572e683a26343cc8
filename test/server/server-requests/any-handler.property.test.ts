/** Any program of server requests and steps has the same result in every mode. */
import * as fc from 'fast-check';
import type { Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { form, formModes, opened } from '../../kit/server-request-modes.ts';

type Program =
  | { readonly do: 'elicit' | 'step' | 'log' | 'roots'; readonly key: string }
  | { readonly do: 'all' | 'seq'; readonly parts: readonly Program[] }
  | { readonly do: 'try'; readonly part: Program }
  | { readonly do: 'if'; readonly key: string; readonly yes: Program; readonly no: Program };

const key = fc.constantFrom('a', 'b', 'c', 'd', '1', 'constructor', '__proto__');
const { program } = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ do: fc.constantFrom('elicit' as const, 'step' as const, 'log' as const, 'roots' as const), key }),
    fc.record({ do: fc.constant('seq' as const), parts: fc.array(tie('program'), { maxLength: 3 }) }),
    fc.record({ do: fc.constant('all' as const), parts: fc.array(tie('program'), { maxLength: 3 }) }),
    fc.record({ do: fc.constant('try' as const), part: tie('program') }),
    fc.record({ do: fc.constant('if' as const), key, yes: tie('program'), no: tie('program') }),
  ),
}));

/** The answer of the user depends only on the message: accept, decline, or an error. */
const answerOf = (message: string) => {
  if (message.endsWith('c')) return { action: 'decline' as const };
  if (message.endsWith('d')) throw new Error('no user');
  return { action: 'accept' as const, content: { value: `answer to ${message}` } };
};

async function perform(one: Program, context: Context): Promise<unknown> {
  switch (one.do) {
    case 'elicit':
      return context.elicit(`elicit ${one.key}`, form(one.key));
    case 'roots':
      return context.listRoots(`roots ${one.key}`);
    case 'step':
      return context.step(one.key, async () => ({ made: one.key }));
    case 'log':
      return context.log('info', one.key);
    case 'seq': {
      const seen: unknown[] = [];
      for (const part of one.parts) seen.push(await perform(part, context));
      return seen;
    }
    case 'all':
      return Promise.all(one.parts.map((part) => perform(part, context)));
    case 'try':
      return perform(one.part, context).catch((error) => `caught ${error.code}`);
    case 'if': {
      const { action } = await context.elicit(`if ${one.key}`, form(one.key));
      return perform(action === 'accept' ? one.yes : one.no, context);
    }
  }
}

const isSequential = (one: Program): boolean => {
  if (one.do === 'all') return one.parts.length < 2;
  if (one.do === 'seq') return one.parts.every(isSequential);
  if (one.do === 'try') return isSequential(one.part);
  return one.do !== 'if' || (isSequential(one.yes) && isSequential(one.no));
};

describe('Any program of server requests and steps', () => {
  const modes = formModes.filter(({ revision }) => revision !== '2025-06-18');

  async function outcomes(one: Program, answer: typeof answerOf) {
    return Promise.all(
      modes.map(async (mode) => {
        const logs: unknown[] = [];
        const options = {
          server: { limits: { maxInputRounds: 100 } },
          limits: { maxInputRounds: 100 },
          logLevel: 'debug' as const,
          onLog: ({ data }: { data: unknown }) => void logs.push(data),
          handlers: {
            elicitForm: ({ message }: { message: string }) => answer(message),
            roots: [{ uri: 'file:///a' }],
          },
        };
        const { client } = await opened(
          mode,
          async (context) => JSON.stringify(await perform(one, context)) ?? 'none',
          options,
        );
        const result = await client.tools.call('it').catch(({ code }) => code);
        await client.close();
        return { result, logs: isSequential(one) ? logs : [] };
      }),
    );
  }

  it('has the same result and the same logs in an exchange, in a session and in a session that replays', async () => {
    const always = (message: string) => answerOf(message.replaceAll('d', 'b'));
    await fc.assert(
      fc.asyncProperty(program, async (one) => {
        const [first, ...others] = await outcomes(one, always as typeof answerOf);
        for (const other of others) expect(other).toEqual(first);
      }),
      { seed: 7, numRuns: scaled(15, 150) },
    );
  });

  it('fails at the same place for a failing client handler, whether a session replays or not', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (one) => {
        const [, plain, replayed] = await outcomes(one, answerOf);
        expect(replayed).toEqual(plain);
      }),
      { seed: 7, numRuns: scaled(15, 150) },
    );
  });
});
