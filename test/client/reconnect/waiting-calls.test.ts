/** Every request to an unreachable server waits until its timeout, and no longer. */

import { type CallOptions, type Client, connect, createServer, resource, TenonError } from 'tenon';
import { defineExtension, defineMethod } from 'tenon/extensions';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answeringServer, listen, type Requested, subscribe } from '../../kit/client/answering-server.ts';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';

const look = defineMethod('com.example/look', { params: z.object({}), result: z.object({}) });
const looking = defineExtension('com.example/looking', { methods: { look } });

type Waiting = Pick<CallOptions, 'signal' | 'timeoutMs'>;

const requests: ReadonlyArray<readonly [string, (client: Client, options?: Waiting) => Promise<unknown>]> = [
  ['complete', (client, o) => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }, {}, o)],
  ['setLogLevel', (client, o) => client.setLogLevel('info', o)],
  ['request', (client, o) => client.request(look, {}, o)],
  ['changes', (client, o) => client.subscribe({ toolsListChanged: true }, o)],
  ['tools.watch', (client, o) => client.tools.watchList(() => {}, o)],
  ['prompts.watch', (client, o) => client.prompts.watchList(() => {}, o)],
  ['resources.watchList', (client, o) => client.resources.watchList(() => {}, o)],
  ['resources.watchTemplates', (client, o) => client.resources.watchTemplates(() => {}, o)],
  ['resources.watch', (client, o) => client.resources.watch('a://b', () => {}, o)],
];

function unreachableServer() {
  const world = simulateServer({ revision: '2025-11-25' });
  world.mode = 'refusing';
  const client = world.client({ extensions: [looking], timeoutMs: 9000, reconnect: { maxConsecutiveFailures: 1000 } });
  return { world, client };
}

async function settlesAfter(
  ms: number,
  { world, client }: ReturnType<typeof unreachableServer>,
  pending: Promise<unknown>,
) {
  const outcome = pending.then(
    () => 'done',
    (error: unknown) => error,
  );
  await still();
  world.clock.advance(ms - 1);
  await still();
  expect(await Promise.race([outcome, still()])).toBeUndefined();
  world.clock.advance(1);
  const settled = await outcome;
  await client.close();
  return settled;
}

describe.each(requests)('%s, without a connection,', (_, send) => {
  it('waits for the timeout of the client', async () => {
    const setting = unreachableServer();
    expect(await settlesAfter(9000, setting, send(setting.client))).toMatchObject({ code: 'timeout' });
  });

  it('waits for the timeout of the call', async () => {
    const setting = unreachableServer();
    expect(await settlesAfter(300, setting, send(setting.client, { timeoutMs: 300 }))).toMatchObject({
      code: 'timeout',
      details: { timeoutMs: 300 },
    });
  });

  it('is cancelled by its signal', async () => {
    const { client } = unreachableServer();
    const controller = new AbortController();
    const pending = send(client, { signal: controller.signal });
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' });
    await client.close();
  });

  it('rejects an unknown option', async () => {
    const { client } = unreachableServer();
    const refusal = { code: 'invalid-argument', details: { place: 'timeout' } };
    await expect(send(client, { timeout: 5 } as never)).rejects.toMatchObject(refusal);
    await client.close();
  });
});

describe.each(['2025-11-25', '2026-07-28'] as const)('At %s the signal of a subscription', (revision) => {
  const subscribeMethod = revision === '2026-07-28' ? listen : subscribe;

  it('cancels it while the server does not answer', async () => {
    const setting = answeringServer(revision);
    const client = setting.world.client();
    await client.connection.ready();
    setting.takes = ({ method: requested }) => requested === subscribeMethod;
    const controller = new AbortController();
    const opening = client.subscribe({ resourceSubscriptions: ['a://b'] }, { signal: controller.signal });
    await still();
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    expect(setting.of(subscribeMethod)).toHaveLength(1);
    await client.close();
  });

  it.each([{ resourceSubscriptions: ['a://b'] }, { toolsListChanged: true }])(
    'cancels %o in the same turn',
    async (filter) => {
      const setting = answeringServer(revision);
      const client = setting.world.client();
      await client.connection.ready();
      const controller = new AbortController();
      const opening = client.subscribe(filter, { signal: controller.signal });
      controller.abort();
      await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
      expect(setting.of(subscribeMethod)).toEqual([]);
      await client.close();
    },
  );

  it('has no effect once it is open', async () => {
    const setting = answeringServer(revision);
    const client = setting.world.client();
    const controller = new AbortController();
    const changes = await client.subscribe({ resourceSubscriptions: ['a://b'] }, { signal: controller.signal });
    controller.abort();
    await still();
    const [{ id, wire }] = setting.of(subscribeMethod) as [Requested];
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    wire.write({ method: 'notifications/resources/updated', params: { uri: 'a://b', _meta } });
    expect(await changes[Symbol.asyncIterator]().next()).toEqual({
      done: false,
      value: { type: 'resource', uri: 'a://b' },
    });
    await client.close();
  });

  it('cancels the first read of a watcher, and leaves nothing open', async () => {
    const controller = new AbortController();
    const server = createServer({
      name: 's',
      version: '1',
      resources: { 'a://b': resource({}, () => (controller.abort(), new Promise<string>(() => {}))) },
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    const watching = client.resources.watch('a://b', () => {}, { signal: controller.signal });
    await expect(watching).rejects.toBeInstanceOf(TenonError);
  });
});

it('subscribe rejects an option that it does not use', async () => {
  await using client = await connect(createServer({ name: 's', version: '1' }));
  const refusal = { code: 'invalid-argument', details: { place: 'cache' } };
  await expect(client.subscribe({ toolsListChanged: true }, { cache: 'reload' } as never)).rejects.toMatchObject(
    refusal,
  );
});
