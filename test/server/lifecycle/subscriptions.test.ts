/** Subscriptions and change notifications as messages on the wire. */
import { createServer, prompt, resource, type Server, tool } from 'tenon';

import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { envelope, handshake, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
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
const notification = (method: string, subscription: unknown, params: Json = {}): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { ...params, _meta: { [key]: subscription } },
});

describe('a subscriptions/listen request', () => {
  it('is acknowledged first with the accepted filter, and every message carries its id [e-subscriptions-02, e-subscriptions-03, e-subscriptions-05, e-subscriptions-07, e-meta-19, e-base-31]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen('mine', { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a://b'] }));
    const filter = { toolsListChanged: true, resourceSubscriptions: ['a://b'] };
    expect(await settled()).toEqual([notification('subscriptions/acknowledged', 'mine', { notifications: filter })]);
    touchAll(server);
    expect(await settled()).toEqual([
      notification('tools/list_changed', 'mine'),
      notification('resources/updated', 'mine', { uri: 'a://b' }),
    ]);
  });

  it('gets no notification that its filter does not include [e-subscriptions-01]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(1, {}));
    send(listen(2, { resourceSubscriptions: ['a://c'], toolsListChanged: false }));
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
  });

  it('is identified by its id, and the number 7 is not the string "7" [e-subscriptions-07]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(7, { toolsListChanged: true }));
    send(listen('7', { resourcesListChanged: true }));
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([
      notification('tools/list_changed', 7),
      notification('resources/list_changed', '7'),
    ]);
  });

  it('ends without a response when it is cancelled, and ignores the cancellation of other ids', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(1, { toolsListChanged: true }));
    send(listen(2, { toolsListChanged: true }));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([notification('tools/list_changed', 2)]);
  });

  it('gets a complete result with its id when the server closes the connection [e-subscriptions-10, e-subscriptions-11]', async () => {
    const [here, there] = createMemoryTransports();
    const connection = makeServer().accept(there);
    const received: Json[] = [];
    const closed = new Promise<void>((resolve) => {
      here.open({ onMessage: (text) => received.push(JSON.parse(text)), onClose: () => resolve() });
    });
    here.send(JSON.stringify(listen('x', { toolsListChanged: true })));
    here.send(JSON.stringify(request(2, 'server/discover', envelope())));
    await new Promise<void>((resolve) => setImmediate(resolve));
    connection.close();
    await closed;
    expect(received.at(-1)).toMatchObject({ id: 'x', result: { resultType: 'complete', _meta: { [key]: 'x' } } });
  });

  it('without a filter, or with an invalid one, is rejected', async () => {
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

describe('a session and a subscription on one connection', () => {
  it('get notifications in the format of their own lifecycle [e-version-16]', async () => {
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
      notification('tools/list_changed', 'l'),
      plain('resources/list_changed'),
      plain('resources/updated', { uri: 'a://b' }),
    ]);
  });
});

describe.each(sessions)('a session at %s', (revision) => {
  it('gets change notifications after notifications/initialized, not before [s-lifecycle-06]', async () => {
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

  it('gets no notification of a list whose capability was not declared [s-lifecycle-17]', async () => {
    const server = createServer({ name: 'bare', version: '1' });
    const { send, settled } = openRaw(server);
    send(handshake(revision));
    send(initialized);
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
  });

  it('gets resource updates from resources/subscribe until resources/unsubscribe', async () => {
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

  it('answers no notification, known or unknown [s-base-14, s-base-14@2024-11-05]', async () => {
    const { send, settled } = openRaw(makeServer());
    send(handshake(revision));
    await settled();
    for (const method of ['notifications/initialized', 'notifications/roots/list_changed', 'notifications/x', 'ping'])
      send({ jsonrpc: '2.0', method });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} });
    expect(await settled()).toEqual([]);
  });
});
