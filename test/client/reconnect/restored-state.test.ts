/** The next connection gets the log level and the subscriptions, and readers get one change for those they missed. */
import type { ProtocolVersion } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../../src/client/api/changes.ts';
import type { Tool } from '../../../src/protocol/generated/types/records.ts';
import type { Json } from '../../kit/client/manual-transport.ts';
import { type ManualTransport } from '../../kit/client/manual-transport.ts';
import { type SimulatedServer, simulateServer, still } from '../../kit/client/simulated-server.ts';
import { isSession } from '../../kit/version-order.ts';

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};

interface Setting {
  readonly world: SimulatedServer;
  /** The messages received on each wire, in order. */
  received(wire: number): Json[];
  /** The tools that the server lists. */
  tools: Tool[];
}

function setUp(revision: ProtocolVersion): Setting {
  const messages = new Map<ManualTransport, Json[]>();
  const complete = !isSession(revision) ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  const called = !isSession(revision) ? { resultType: 'complete' } : {};
  const world = simulateServer({
    revision,
    capabilities,
    received(wire, message) {
      messages.set(wire, [...(messages.get(wire) ?? []), message]);
      const { id, method, params } = message as { id?: number; method: string; params: Json };
      if (id === undefined) return;
      const answer = (result: Json): void => queueMicrotask(() => wire.answer(id, { result }));
      if (method === 'tools/list') return answer({ tools: setting.tools, ...complete });
      if (method === 'tools/call') return answer({ content: [], structuredContent: { eyes: 7 }, ...called });
      if (method !== 'subscriptions/listen') return answer({});
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      const acknowledged = { method: 'notifications/subscriptions/acknowledged', params: { ...params, _meta } };
      queueMicrotask(() => wire.write(acknowledged));
    },
  });
  const received = (at: number): Json[] => messages.get(world.wires[at] as ManualTransport) ?? [];
  const setting: Setting = { world, received, tools: [] };
  return setting;
}

/** The server disconnects, and is back. */
async function restart({ clock, wire }: SimulatedServer): Promise<void> {
  wire()?.close(new Error('restarted'));
  await still();
  clock.advance(1000);
  await still();
}

/** The changes that a subscription has now, without waiting for more. */
async function read(changes: Subscription): Promise<string[]> {
  const seen: string[] = [];
  const reading = (async () => {
    for await (const change of changes) seen.push(change.type === 'resource' ? change.uri : change.type);
  })();
  reading.catch(() => {});
  await still();
  return seen;
}

describe.each(protocolVersions)('At %s a new connection', (revision) => {
  const isExchange = !isSession(revision);

  it('gets the log level that was set last [S27]', async () => {
    const { world, received } = setUp(revision);
    const client = world.client({ logLevel: 'error' });
    await client.connection.ready();
    await client.setLogLevel('debug');
    await restart(world);
    expect(client.connection.state).toBe('ready');
    await client.tools.list().all();
    const first = received(1).find(({ method }) => method === (isExchange ? 'tools/list' : 'logging/setLevel'));
    const params = first?.params as { level?: string; _meta?: Json };
    expect(isExchange ? params._meta?.['io.modelcontextprotocol/logLevel'] : params.level).toBe('debug');
    await client.close();
  });

  it('gets each subscription once, and each reader gets one change of every part [S27, e-patterns-03]', async () => {
    const { world, received } = setUp(revision);
    const client = world.client();
    const streams = [
      await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b', 'a://c'] }),
      await client.subscribe({ resourceSubscriptions: ['a://b'] }),
    ];
    const closed = await client.subscribe({ resourceSubscriptions: ['a://d'] });
    await closed.close();
    await restart(world);
    expect(await Promise.all(streams.map(read))).toEqual([['tools', 'a://b', 'a://c'], ['a://b']]);
    const subscribed = received(1).flatMap(({ method, params }) =>
      method === 'resources/subscribe' ? (params as { uri: string }).uri : [],
    );
    expect(subscribed.sort()).toEqual(isExchange ? [] : ['a://b', 'a://c']);
    const listening = received(1).filter(({ method }) => method === 'subscriptions/listen');
    expect(listening).toHaveLength(isExchange ? 2 : 0);
    await client.close();
  });

  it('makes a reader get one change, also after a second restart', async () => {
    const { world } = setUp(revision);
    const client = world.client();
    const changes = await client.subscribe({ resourceSubscriptions: ['a://b'] });
    await restart(world);
    await restart(world);
    const seen = await read(changes);
    expect(seen).toEqual(['a://b']);
    await client.close();
  });

  it('has its results validated against its own output schemas, not those of the last connection', async () => {
    const setting = setUp(revision);
    const dice = (maximum: number): Tool => ({
      name: 'roll',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', properties: { eyes: { type: 'number', maximum } } },
    });
    setting.tools = [dice(20)];
    const client = setting.world.client({ jsonSchemaValidator: fromJsonSchema });
    await client.tools.call('roll');
    await restart(setting.world);
    setting.tools = [dice(6)];
    await expect(client.tools.call('roll')).rejects.toMatchObject({ code: 'invalid-result' });
    await client.close();
    expect(setting.world.clock.pending).toBe(0);
  });

  it('does not use the tool annotations of the last connection to send a call again', async () => {
    const setting = setUp(revision);
    setting.tools = [{ name: 'roll', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } }];
    const client = setting.world.client({ reconnect: { trustToolAnnotations: true } });
    await client.tools.list().all();
    await restart(setting.world);
    const calling = client.tools.call('roll').catch((error) => error);
    setting.world.wire()?.close();
    expect(await calling).toMatchObject({ code: 'outcome-unknown', details: { requestId: expect.any(Number) } });
    await client.close();
  });
});
