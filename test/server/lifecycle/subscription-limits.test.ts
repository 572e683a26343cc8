/** How many subscriptions a connection may have, and how many unread changes a client retains. */
import { createServer, resource, type Server } from 'tenon';
import { describe, expect, it } from 'vitest';
import { envelope, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const makeServer = (): Server =>
  createServer({ name: 'watched', version: '1', resources: { 'a://b': resource({}, () => 'b') } });

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `a://b/${at}`);
const listen = (id: unknown, uris: string[]) =>
  request(id, 'subscriptions/listen', envelope({ notifications: { resourceSubscriptions: uris } }));
const acknowledged = { method: 'notifications/subscriptions/acknowledged' };
const overloaded = (id: unknown) => ({ id, error: { message: expect.stringMatching(/at most/i) } });

describe('one connection', () => {
  it('has at most 1000 subscriptions, and can open another when one is cancelled', async () => {
    const { send, settled } = openRaw(makeServer());
    for (let id = 0; id < 1001; id++) send(listen(id, []));
    const received = await settled();
    expect(received.filter(({ method }) => method === acknowledged.method)).toHaveLength(1000);
    expect(received.at(-1)).toMatchObject(overloaded(1000));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5, ...envelope() } });
    send(listen('again', []));
    expect(await settled()).toMatchObject([acknowledged]);
  });

  it('subscribes to at most 10000 resources over all its subscriptions', async () => {
    const { send, settled } = openRaw(makeServer());
    send(listen(1, names(6000)));
    send(listen(2, names(4001)));
    send(listen(3, names(4000)));
    send(listen(4, names(1)));
    expect(await settled()).toMatchObject([acknowledged, overloaded(2), acknowledged, overloaded(4)]);
  });

  it('subscribes to at most 10000 resources in a session', async () => {
    const { send, settled, ask } = await openAt(makeServer(), '2025-11-25');
    for (const [id, uri] of names(10_001).entries()) send(ask(id, 'resources/subscribe', { uri }));
    const received = await settled();
    expect(received.filter(({ result }) => result !== undefined)).toHaveLength(10_000);
    expect(received.at(-1)).toMatchObject(overloaded(10_000));
    send(ask('less', 'resources/unsubscribe', { uri: 'a://b/7' }));
    send(ask('more', 'resources/subscribe', { uri: 'a://b/10000' }));
    expect(await settled()).toMatchObject([
      { id: 'less', result: {} },
      { id: 'more', result: {} },
    ]);
  });
});

describe('a client that does not read its changes', () => {
  it('retains 1000 URIs, and reports the subscribed resource in place of the others', async () => {
    const { client, send } = scriptedAt('2025-11-25', { resources: { subscribe: true } }, () => ({}));
    const connected = await client;
    const changes = await connected.subscribe({ resourceSubscriptions: ['a://b'] });
    for (const uri of names(5000)) send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    await connected.ping();
    const read: unknown[] = [];
    for await (const change of changes) {
      read.push(change);
      if (change.type === 'resource' && change.uri === 'a://b') break;
    }
    expect(read).toEqual([...names(1000), 'a://b'].map((uri) => ({ type: 'resource', uri })));
    await connected.close();
  });
});
