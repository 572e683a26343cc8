/** The messages by which changes are asked for and told, as they stand on the wire. */

import { createServer, prompt, protocolVersions, resource, type Server, tool } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { envelope, handshake, type Json, openRaw, request } from '../../kit/channel/raw-connection.ts';

const sessions = protocolVersions.slice(0, -1);
const key = 'io.modelcontextprotocol/subscriptionId';
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

const makeServer = (): Server =>
  createServer({
    name: 'changing',
    version: '1',
    tools: {},
    resources: { 'a://b': resource({}, () => 'b') },
  });

const touchAll = (server: Server): void => {
  server.update((draft) => {
    draft.tools[`t${Object.keys(draft.tools).length}`] = tool({}, () => 'x');
    draft.prompts[`p${Object.keys(draft.prompts).length}`] = prompt({}, () => 'x');
    draft.resources[`r://${Object.keys(draft.resources).length}`] = resource({}, () => 'x');
  });
  server.sendResourceUpdated('a://b');
};

const listen = (id: unknown, notifications: Json): Json =>
  request(id, 'subscriptions/listen', envelope({ notifications }));
const notified = (method: string, subscription: unknown, params: Json = {}): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { ...params, _meta: { [key]: subscription } },
});

describe('a listening request', () => {
  it('is acknowledged first, with what is honoured, and every message carries its id [e-subscriptions-02, e-subscriptions-03, e-subscriptions-05, e-subscriptions-07, e-meta-19, e-base-31]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen('mine', { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a://b'] }));
    const filter = { toolsListChanged: true, resourceSubscriptions: ['a://b'] };
    expect(await settled()).toEqual([notified('subscriptions/acknowledged', 'mine', { notifications: filter })]);
    touchAll(server);
    expect(await settled()).toEqual([
      notified('tools/list_changed', 'mine'),
      notified('resources/updated', 'mine', { uri: 'a://b' }),
    ]);
  });

  it('hears nothing that its filter does not ask for [e-subscriptions-01]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(1, {}));
    send(listen(2, { resourceSubscriptions: ['a://c'], toolsListChanged: false }));
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
  });

  it('is told apart from others by its id, a number or a string [e-subscriptions-07]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(7, { toolsListChanged: true }));
    send(listen('7', { resourcesListChanged: true }));
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([notified('tools/list_changed', 7), notified('resources/list_changed', '7')]);
  });

  it('ends in silence when it is cancelled, and only then', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(1, { toolsListChanged: true }));
    send(listen(2, { toolsListChanged: true }));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([notified('tools/list_changed', 2)]);
  });

  it('is answered by a complete result with its id when the server goes [e-subscriptions-10, e-subscriptions-11]', async () => {
    const [here, there] = createMemoryTransports();
    const connection = makeServer().accept(there);
    const received: Json[] = [];
    const over = new Promise<void>((resolve) => {
      here.open({ onMessage: (text) => received.push(JSON.parse(text)), onClose: () => resolve() });
    });
    here.send(JSON.stringify(listen('x', { toolsListChanged: true })));
    here.send(JSON.stringify(request(2, 'server/discover', envelope())));
    await new Promise<void>((resolve) => setImmediate(resolve));
    connection.close();
    await over;
    expect(received.at(-1)).toMatchObject({ id: 'x', result: { resultType: 'complete', _meta: { [key]: 'x' } } });
  });

  it('without a filter, or with one of the wrong shape, is refused', async () => {
    const { send, settled } = openRaw(makeServer());
    send(request(1, 'subscriptions/listen', envelope()));
    send(request(2, 'subscriptions/listen', envelope({ notifications: { toolsListChanged: 'yes' } })));
    const refusals = (await settled()).map(({ id, error: failure }) => [id, (failure as Json).code]);
    expect(refusals.toSorted()).toEqual([
      [1, -32602],
      [2, -32602],
    ]);
  });
});

describe('a session and a listening request on one pipe', () => {
  it('each hear in their own way [e-version-16]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen('l', { toolsListChanged: true }));
    send(handshake('2025-06-18'));
    send(initialized);
    send(request(2, 'resources/subscribe', { uri: 'a://b' }));
    await settled();
    touchAll(server);
    const plain = (method: string, params?: Json): Json => ({
      jsonrpc: '2.0',
      method: `notifications/${method}`,
      ...(params && { params }),
    });
    expect(await settled()).toEqual([
      plain('tools/list_changed'),
      notified('tools/list_changed', 'l'),
      plain('resources/list_changed'),
      plain('resources/updated', { uri: 'a://b' }),
    ]);
  });
});

describe.each(sessions)('a session at %s', (revision) => {
  it('hears of changes once it has said that it is initialized, not before [s-lifecycle-06]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    server.sendResourceUpdated('a://b');
    send(handshake(revision));
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
    send(initialized);
    await settled();
    touchAll(server);
    expect((await settled()).map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ]);
  });

  it('hears of no list that its handshake did not declare [s-lifecycle-17]', async () => {
    const server = createServer({ name: 'bare', version: '1' });
    const { send, settled } = openRaw(server);
    send(handshake(revision));
    send(initialized);
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
  });

  it('hears of a resource from its subscription to the end of it', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(handshake(revision));
    send(initialized);
    const received: unknown[] = [];
    for (const method of ['resources/subscribe', 'resources/subscribe', 'resources/unsubscribe'] as const) {
      send(request(`${received.length}`, method, { uri: 'a://b' }));
      await settled();
      server.sendResourceUpdated('a://b');
      received.push((await settled()).map((message) => message.params));
    }
    expect(received).toEqual([[{ uri: 'a://b' }], [{ uri: 'a://b' }], []]);
  });

  it('answers neither notifications it knows nor those it does not [s-base-14, s-base-14@2024-11-05]', async () => {
    const { send, settled } = openRaw(makeServer());
    send(handshake(revision));
    await settled();
    for (const method of ['notifications/initialized', 'notifications/roots/list_changed', 'notifications/x', 'ping'])
      send({ jsonrpc: '2.0', method });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} });
    expect(await settled()).toEqual([]);
  });
});
