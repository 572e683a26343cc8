/** The arguments of a call with several rounds: every run gets them as received, even if an earlier one changed them. */

import { connect, createServer, inputRequired, prompt, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import type { Context, Middleware } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { allModes, type Mode, sampled, textOf } from '../../kit/server-request-modes.ts';

const prompted = { messages: [], maxTokens: 1 };

interface Given {
  list: number[];
  seen?: boolean;
}

/** Changes its arguments, samples twice, and returns the arguments as they were at the start. */
async function mutate(given: Given, { sample }: Context): Promise<string> {
  const first = JSON.stringify(given);
  given.list.push(given.list.length);
  given.seen = true;
  await sample('a', prompted);
  await sample('b', prompted);
  return first;
}

const anything = z.any().meta({ type: 'object' });
const plain = fromJsonSchema<Given>({ type: 'object', properties: { list: { type: 'array' } }, required: ['list'] });

async function opened({ revision, replay }: Mode, middleware: Middleware[] = []) {
  const server = createServer(
    {
      name: 'mutating',
      version: '1',
      tools: {
        bare: tool({}, (given, context) => mutate(given as unknown as Given, context)),
        plain: tool({ inputSchema: plain }, mutate),
        nested: tool({ inputSchema: z.object({ list: z.any() }) }, mutate),
        anything: tool({ inputSchema: anything }, (given, context) => mutate(given as Given, context)),
        returns: tool({ inputSchema: plain }, (given, { round }) => {
          const first = JSON.stringify(given);
          given.list.push(9);
          return round === 0 ? inputRequired({ where: 'roots' }) : first;
        }),
      },
      prompts: {
        it: prompt({}, async (given, { sample }) => {
          const first = JSON.stringify(given);
          (given as Record<string, string>).more = 'more';
          await sample('a', prompted);
          return first;
        }),
      },
    },
    { alwaysReplay: replay, middleware },
  );
  const [here, there] = createMemoryTransports();
  server.accept(there);
  return connect(here, { protocolVersions: [revision], handlers: { sample: () => sampled, roots: [] } });
}

describe.each(allModes)('A handler that changes its arguments and sends server requests, $name', (mode) => {
  it.each(['bare', 'plain', 'nested', 'anything', 'returns'])(
    'gets them as received in every run: %s',
    async (name) => {
      const client = await opened(mode);
      expect(textOf(await client.tools.call(name, { list: [1, 2] }))).toBe('{"list":[1,2]}');
      await client.close();
    },
  );

  it('gets them as received in every run of a prompt', async () => {
    const client = await opened(mode);
    const { messages } = await client.prompts.get('it', { a: 'x' });
    expect(messages).toMatchObject([{ content: { text: '{"a":"x"}' } }]);
    await client.close();
  });

  it('gets them as a middleware changed them', async () => {
    const seen = deferred<unknown>();
    const client = await opened(mode, [
      ({ params }, next) => {
        const { list } = params.arguments as Given;
        seen.resolve([...list]);
        list.push(7);
        return next();
      },
    ]);
    expect(textOf(await client.tools.call('plain', { list: [1] }))).toBe('{"list":[1,7]}');
    expect(await seen.promise).toEqual([1]);
    await client.close();
  });
});
