/** Whatever is asked of a server that is out of reach waits for as long as its caller says, and no longer. */

import { type CallOptions, type Client, connect, createServer, resource, TenonError } from 'tenon';
import { defineExtension, defineMethod } from 'tenon/extensions';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answeringServer, listen, type Requested, subscribe } from '../../kit/client/answering-server.ts';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';

const look = defineMethod('com.example/look', { params: z.object({}), result: z.object({}) });
const looking = defineExtension('com.example/looking', { methods: { look } });

type Waiting = Pick<CallOptions, 'signal' | 'timeoutMs'>;

const ways: ReadonlyArray<readonly [string, (client: Client, options?: Waiting) => Promise<unknown>]> = [
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

function outOfReach() {
  const world = simulateServer({ revision: '2025-11-25' });
  world.mode = 'refusing';
  const client = world.client({ extensions: [looking], timeoutMs: 9000, reconnect: { maxConsecutiveFailures: 1000 } });
  return { world, client };
}

async function settlesAfter(
  ms: number,
  { world, client }: ReturnType<typeof outOfReach>,
  requesting: Promise<unknown>,
) {
  const outcome = requesting.then(
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

describe.each(ways)('%s, without a connection,', (_, ask) => {
  it('waits for as long as the client says', async () => {
    const setting = outOfReach();
    expect(await settlesAfter(9000, setting, ask(setting.client))).toMatchObject({ code: 'timeout' });
  });

  it('waits for as long as the call says', async () => {
    const setting = outOfReach();
    expect(await settlesAfter(300, setting, ask(setting.client, { timeoutMs: 300 }))).toMatchObject({
      code: 'timeout',
      details: { timeoutMs: 300 },
    });
  });

  it('is given up by its signal', async () => {
    const { client } = outOfReach();
    const controller = new AbortController();
    const requesting = ask(client, { signal: controller.signal });
    controller.abort();
    await expect(requesting).rejects.toMatchObject({ code: 'cancelled' });
    await client.close();
  });

  it('refuses what is no option of it', async () => {
    const { client } = outOfReach();
    const refusal = { code: 'invalid-argument', details: { place: 'timeout' } };
    await expect(ask(client, { timeout: 5 } as never)).rejects.toMatchObject(refusal);
    await client.close();
  });
});

describe.each(['2025-11-25', '2026-07-28'] as const)('At %s the signal of a stream of changes', (revision) => {
  const requesting = revision === '2026-07-28' ? listen : subscribe;

  it('gives it up while the server does not answer', async () => {
    const setting = answeringServer(revision);
    const client = setting.world.client();
    await client.connection.ready();
    setting.takes = ({ method: requested }) => requested === requesting;
    const controller = new AbortController();
    const opening = client.subscribe({ resourceSubscriptions: ['a://b'] }, { signal: controller.signal });
    await still();
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    expect(setting.of(requesting)).toHaveLength(1);
    await client.close();
  });

  it.each([{ resourceSubscriptions: ['a://b'] }, { toolsListChanged: true }])(
    'gives up %o in the turn that asks for it',
    async (filter) => {
      const setting = answeringServer(revision);
      const client = setting.world.client();
      await client.connection.ready();
      const controller = new AbortController();
      const opening = client.subscribe(filter, { signal: controller.signal });
      controller.abort();
      await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
      expect(setting.of(requesting)).toEqual([]);
      await client.close();
    },
  );

  it('does nothing to it once it is open', async () => {
    const setting = answeringServer(revision);
    const client = setting.world.client();
    const controller = new AbortController();
    const changes = await client.subscribe({ resourceSubscriptions: ['a://b'] }, { signal: controller.signal });
    controller.abort();
    await still();
    const [{ id, wire }] = setting.of(requesting) as [Requested];
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    wire.write({ method: 'notifications/resources/updated', params: { uri: 'a://b', _meta } });
    expect(await changes[Symbol.asyncIterator]().next()).toEqual({
      done: false,
      value: { type: 'resource', uri: 'a://b' },
    });
    await client.close();
  });

  it('gives up the first look of what is watched, and leaves nothing open', async () => {
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

it('A stream of changes takes no option that it would pass over', async () => {
  await using client = await connect(createServer({ name: 's', version: '1' }));
  const refusal = { code: 'invalid-argument', details: { place: 'cache' } };
  await expect(client.subscribe({ toolsListChanged: true }, { cache: 'reload' } as never)).rejects.toMatchObject(
    refusal,
  );
});
