/** Handlers that ask or remember after their call was given up: they end, and what they held is free again. */

import { type Client, connect, createServer, inputRequired, prompt, resource, tool } from 'tenon';
import type { Context, Middleware } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { allModes, type Mode, sampled } from '../../kit/server-request-modes.ts';

type Late = (context: Context) => unknown;

/** The chain has resumed, and all that follows at once has happened. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const prompted = { messages: [], maxTokens: 1 };

const lateDeeds: ReadonlyArray<[string, Late]> = [
  ['asks', ({ sample }) => sample('a', prompted)],
  ['steps', ({ step }) => step('a', () => 1)],
  ['asks several things', ({ requestInput: ask }) => ask({ a: 'roots', b: 'roots' })],
  [
    'asks again and again',
    async ({ sample }) => {
      for (;;) await sample('a', prompted).catch(() => {});
    },
  ],
];

const calls: ReadonlyArray<[string, (client: Client, signal: AbortSignal) => Promise<unknown>]> = [
  ['tool', (client, signal) => client.tools.call('it', {}, { signal })],
  ['prompt', (client, signal) => client.prompts.get('it', {}, { signal })],
  ['resource', (client, signal) => client.resources.read('a://it', { signal })],
];

/** A server that has room for one call, whose handlers wait to be released and then do something. */
async function crowded({ revision, replay }: Mode, late: Late) {
  const begun = deferred();
  const released = deferred();
  const resumed = deferred();
  let requested = 0;
  const run = async (context: Context): Promise<never> => {
    begun.resolve();
    await released.promise;
    return (await late(context)) as never;
  };
  const note: Middleware = async (_call, next) => {
    try {
      return await next();
    } finally {
      resumed.resolve();
    }
  };
  const server = createServer(
    {
      name: 'crowded',
      version: '1',
      tools: { it: tool({}, (_given, context) => run(context)), free: tool({}, () => 'free') },
      prompts: { it: prompt({}, (_given, context) => run(context)) },
      resources: { 'a://it': resource({}, run) },
    },
    { limits: { maxConcurrentCalls: 1 }, middleware: [note], alwaysReplay: replay },
  );
  const [here, there] = createMemoryTransports();
  server.accept(there);
  const sample = () => {
    requested++;
    return sampled;
  };
  const client = await connect(here, { protocolVersions: [revision], handlers: { sample, roots: [] } });
  return { client, begun, released, resumed, requested: () => requested };
}

describe.each(allModes)('A call that is given up, $name', (mode) => {
  describe.each(calls)('of a %s', (_kind, call) => {
    it.each(lateDeeds)('whose handler then %s gives its room back, and its middleware goes on', async (_what, late) => {
      const { client, begun, released, resumed, requested } = await crowded(mode, late);
      const patience = new AbortController();
      const given = call(client, patience.signal).catch(({ code }) => code);
      await begun.promise;
      patience.abort();
      expect(await given).toBe('cancelled');
      await expect(client.tools.call('free')).rejects.toMatchObject({ reason: 'overloaded' });
      released.resolve();
      await resumed.promise;
      await turn();
      expect((await client.tools.call('free')).content).toMatchObject([{ text: 'free' }]);
      expect(requested()).toBe(0);
      await client.close();
    });
  });

  it('whose handler then returns questions asks nobody', async () => {
    const { client, begun, released, resumed, requested } = await crowded(mode, () => inputRequired({ a: prompted }));
    const patience = new AbortController();
    const given = client.tools.call('it', {}, { signal: patience.signal }).catch(({ code }) => code);
    await begun.promise;
    patience.abort();
    expect(await given).toBe('cancelled');
    released.resolve();
    await resumed.promise;
    await turn();
    expect((await client.tools.call('free')).content).toMatchObject([{ text: 'free' }]);
    expect(requested()).toBe(0);
    await client.close();
  });
});
