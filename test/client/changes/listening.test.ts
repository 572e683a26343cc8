/** A client that wants to hear of changes, and servers that make it hard. */

import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import { type Json } from '../../kit/channel/raw-connection.ts';
import { answer, mute, refuse, type Script, scriptedServer, session } from '../../kit/channel/scripted-server.ts';

const key = 'io.modelcontextprotocol/subscriptionId';
const notified = (method: string, subscription: unknown, params: Json = {}): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { ...params, _meta: { [key]: subscription } },
});

describe('a client that wants to hear of changes', () => {
  const discovered = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    ttlMs: 0,
    cacheScope: 'private',
  };
  const exchange =
    (rest: Script): Script =>
    (message, send) =>
      message.method === 'server/discover' ? send(answer(message, discovered)) : rest(message, send);
  const watching = { resources: { subscribe: true, listChanged: true } };

  it('gives up when listening is not acknowledged in time, and says so to the server', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      exchange((message) => message.method === 'subscriptions/listen' && clock.advance(60_000)),
    );
    const client = await connect(raw.channel, { ...withClock(clock) });
    await expect(client.subscribe({ toolsListChanged: true })).rejects.toMatchObject({ code: 'timeout' });
    await client.close();
    expect(raw.methods()).toEqual(['server/discover', 'subscriptions/listen', 'notifications/cancelled']);
  });

  it.each([
    [
      'ended before it was acknowledged',
      (message: Json) => answer(message, { resultType: 'complete' }),
      'invalid-result',
    ],
    ['refused', (message: Json) => refuse(message, -32601), -32601],
  ])('hears that listening was %s', async (_name, answer, code) => {
    const raw = scriptedServer(exchange((message, send) => send(answer(message))));
    const client = await connect(raw.channel);
    await expect(client.subscribe({ toolsListChanged: true })).rejects.toMatchObject({ code });
    await client.close();
  });

  it('drops what it did not ask for, and what belongs to no request of its own [e-subscriptions-08]', async () => {
    const raw = scriptedServer(
      exchange(({ id }, send) => {
        if (id === undefined) return;
        send(notified('tools/list_changed', id));
        send(notified('subscriptions/acknowledged', id, { notifications: { toolsListChanged: true } }));
        send(notified('prompts/list_changed', id));
        send(notified('tools/list_changed', 'another'));
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [key]: id } } });
      }),
    );
    const client = await connect(raw.channel);
    const received: unknown[] = [];
    for await (const change of await client.subscribe({ toolsListChanged: true })) received.push(change);
    expect(received).toEqual([{ type: 'tools' }]);
    await client.close();
  });

  it('hears that a subscription was refused, and takes nothing of it along', async () => {
    const raw = scriptedServer(
      session({ capabilities: watching }, (message, send) => {
        if (message.id === undefined) return;
        const { uri } = message.params as Json;
        send(
          message.method === 'resources/subscribe' && uri === 'x://no' ? refuse(message, -32002) : answer(message, {}),
        );
      }),
    );
    const client = await connect(raw.channel, { protocolVersions: ['2025-06-18'] });
    await expect(client.subscribe({ resourceSubscriptions: ['x://yes', 'x://no'] })).rejects.toMatchObject({
      reason: 'resource-not-found',
    });
    const again = await client.subscribe({ resourceSubscriptions: ['x://yes'] });
    await again.close();
    const yes = raw.received.filter(({ params }) => (params as Json | undefined)?.uri === 'x://yes');
    expect(yes.map(({ method }) => method)).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
    await client.close();
  });

  it('waits for a subscription no longer than it may', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      session({ capabilities: watching }, (message, send) => {
        if (message.method === 'resources/subscribe') clock.advance(60_000);
        else if (message.id !== undefined) send(answer(message, {}));
      }),
    );
    const client = await connect(raw.channel, { protocolVersions: ['2025-06-18'], ...withClock(clock) });
    await expect(client.subscribe({ resourceSubscriptions: ['a://b'] })).rejects.toMatchObject({ code: 'timeout' });
    await client.close();
  });

  it('shares one subscription between its streams, and takes none from the others', async () => {
    const raw = scriptedServer(
      session({ capabilities: watching }, (message, send) => message.id !== undefined && send(answer(message, {}))),
    );
    const client = await connect(raw.channel, { protocolVersions: ['2025-06-18'] });
    const one = await client.subscribe({ resourceSubscriptions: ['x://1', 'x://2'] });
    const leaving = one.close();
    const other = await client.subscribe({ resourceSubscriptions: ['x://2', 'x://2'] });
    await leaving;
    const third = await client.subscribe({ resourceSubscriptions: ['x://2'] });
    await other.close();
    raw.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://2' } });
    expect((await third[Symbol.asyncIterator]().next()).value).toEqual({ type: 'resource', uri: 'x://2' });
    const requested = raw.received.filter(({ params }) => (params as Json | undefined)?.uri === 'x://2');
    expect(requested.map(({ method }) => method)).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
      'resources/subscribe',
    ]);
    await client.close();
    await third.close();
  });

  it('has nothing to hear from a server that never answers, and ends with it', async () => {
    const raw = scriptedServer(exchange(mute));
    const client = await connect(raw.channel);
    const opening = client.subscribe({ toolsListChanged: true });
    raw.leave();
    await expect(opening).rejects.toMatchObject({ code: 'connection-closed' });
  });
});
