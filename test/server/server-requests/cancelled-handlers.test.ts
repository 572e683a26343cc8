/** Handlers that use the context after their call was cancelled: they end, and their request slot is released. */

import { type Client, connect, createServer, inputRequired, prompt, resource, tool } from 'tenon';
import type { Context, Middleware } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { allModes, type Mode, sampled } from '../../kit/server-request-modes.ts';

type LateAction = (context: Context) => unknown;

/** Waits until the middleware chain and its pending microtasks have run. */
const afterImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const prompted = { messages: [], maxTokens: 1 };

const lateActions: ReadonlyArray<[string, LateAction]> = [
  ['samples', ({ sample }) => sample('a', prompted)],
  ['runs a step', ({ step }) => step('a', () => 1)],
  ['sends several server requests', ({ requestInput }) => requestInput({ a: 'roots', b: 'roots' })],
  [
    'samples in a loop',
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

/** A server with one request slot, whose handlers wait until they are released and then run the late action. */
async function oneSlotServer({ revision, replay }: Mode, lateAction: LateAction) {
  const begun = deferred();
  const released = deferred();
  const resumed = deferred();
  let requested = 0;
  const run = async (context: Context): Promise<never> => {
    begun.resolve();
    await released.promise;
    return (await lateAction(context)) as never;
  };
  const onResume: Middleware = async (_call, next) => {
    try {
      return await next();
    } finally {
      resumed.resolve();
    }
  };
  const server = createServer(
    {
      name: 'one-slot',
      version: '1',
      tools: { it: tool({}, (_given, context) => run(context)), free: tool({}, () => 'free') },
      prompts: { it: prompt({}, (_given, context) => run(context)) },
      resources: { 'a://it': resource({}, run) },
    },
    { limits: { maxConcurrentCalls: 1 }, middleware: [onResume], alwaysReplay: replay },
  );
  const [here, there] = createMemoryTransports();
  server.accept(there);
  const sample = () => {
    requested++;
    return sampled;
  };
  const handlers = { sample, roots: [] };
  // No time passes for the client, so that none of its calls times out.
  const client = await connect(here, { protocolVersions: [revision], handlers, ...withClock(createFakeClock()) });
  return { client, begun, released, resumed, requested: () => requested };
}

describe.each(allModes)('A cancelled call, $name', (mode) => {
  describe.each(calls)('of a %s', (_kind, call) => {
    it.each(lateActions)(
      'whose handler then %s releases its request slot, and its middleware continues',
      async (_name, lateAction) => {
        const { client, begun, released, resumed, requested } = await oneSlotServer(mode, lateAction);
        const caller = new AbortController();
        const outcome = call(client, caller.signal).catch(({ code }) => code);
        await begun.promise;
        caller.abort();
        expect(await outcome).toBe('cancelled');
        // Less than the server asks a client to wait: the call is not sent again.
        await expect(client.tools.call('free', {}, { timeoutMs: 900 })).rejects.toMatchObject({ reason: 'overloaded' });
        released.resolve();
        await resumed.promise;
        await afterImmediate();
        expect((await client.tools.call('free')).content).toMatchObject([{ text: 'free' }]);
        expect(requested()).toBe(0);
        await client.close();
      },
    );
  });

  it('whose handler then returns inputRequired sends no server request', async () => {
    const { client, begun, released, resumed, requested } = await oneSlotServer(mode, () =>
      inputRequired({ a: prompted }),
    );
    const caller = new AbortController();
    const outcome = client.tools.call('it', {}, { signal: caller.signal }).catch(({ code }) => code);
    await begun.promise;
    caller.abort();
    expect(await outcome).toBe('cancelled');
    released.resolve();
    await resumed.promise;
    await afterImmediate();
    expect((await client.tools.call('free')).content).toMatchObject([{ text: 'free' }]);
    expect(requested()).toBe(0);
    await client.close();
  });
});
