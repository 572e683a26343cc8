/** A client that subscribes to changes, and servers that misbehave. */

import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { type Json } from '../../kit/transport/raw-connection.ts';
import { answer, mute, refuse, type Script, scriptedServer, session } from '../../kit/transport/scripted-server.ts';

const key = 'io.modelcontextprotocol/subscriptionId';
const subscriptionNotification = (method: string, subscription: unknown, params: Json = {}): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { ...params, _meta: { [key]: subscription } },
});

describe('a client that subscribes to changes', () => {
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
  const subscribable = { resources: { subscribe: true, listChanged: true } };

  it('times out when subscriptions/listen is not acknowledged, and sends a cancellation', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      exchange((message) => message.method === 'subscriptions/listen' && clock.advance(60_000)),
    );
    const client = await connect(raw.transport, { ...withClock(clock) });
    await expect(client.subscribe({ toolsListChanged: true })).rejects.toMatchObject({ code: 'timeout' });
    await client.close();
    expect(raw.methods()).toEqual(['server/discover', 'subscriptions/listen', 'notifications/cancelled']);
  });

  it.each([
    [
      'completed before its acknowledgement',
      (message: Json) => answer(message, { resultType: 'complete' }),
      'invalid-result',
    ],
    ['refused', (message: Json) => refuse(message, -32601), -32601],
  ])('rejects when subscriptions/listen was %s', async (_name, answer, code) => {
    const raw = scriptedServer(exchange((message, send) => send(answer(message))));
    const client = await connect(raw.transport);
    await expect(client.subscribe({ toolsListChanged: true })).rejects.toMatchObject({ code });
    await client.close();
  });

  it('drops changes outside its filter and changes of no subscription of its own [e-subscriptions-08]', async () => {
    const raw = scriptedServer(
      exchange(({ id }, send) => {
        if (id === undefined) return;
        send(subscriptionNotification('tools/list_changed', id));
        send(subscriptionNotification('subscriptions/acknowledged', id, { notifications: { toolsListChanged: true } }));
        send(subscriptionNotification('prompts/list_changed', id));
        send(subscriptionNotification('tools/list_changed', 'another'));
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [key]: id } } });
      }),
    );
    const client = await connect(raw.transport);
    const received: unknown[] = [];
    for await (const change of await client.subscribe({ toolsListChanged: true })) received.push(change);
    expect(received).toEqual([{ type: 'tools' }]);
    await client.close();
  });

  it('compares the acknowledged filter with its own: a gap is visible, and nothing is watched without notice [e-subscriptions-06]', async () => {
    const raw = scriptedServer(
      exchange(({ id, method }, send) => {
        const notifications = { toolsListChanged: true };
        if (method === 'subscriptions/listen')
          send(subscriptionNotification('subscriptions/acknowledged', id, { notifications }));
      }),
    );
    const client = await connect(raw.transport);
    const filter = { toolsListChanged: true, resourceSubscriptions: ['a://b'] };
    expect((await client.subscribe(filter)).acknowledged).toEqual({ toolsListChanged: true });
    const watching = client.resources.watch('a://b', () => expect.unreachable());
    await expect(watching).rejects.toMatchObject({
      code: 'capability-not-supported',
      details: { neededBy: 'resourceSubscriptions' },
    });
    await client.close();
    expect(raw.methods()).not.toContain('resources/read');
  });

  it('rejects when one resource is refused, and unsubscribes from the others', async () => {
    const raw = scriptedServer(
      session({ capabilities: subscribable }, (message, send) => {
        if (message.id === undefined) return;
        const { uri } = message.params as Json;
        send(
          message.method === 'resources/subscribe' && uri === 'x://no' ? refuse(message, -32002) : answer(message, {}),
        );
      }),
    );
    const client = await connect(raw.transport, { protocolVersions: ['2025-06-18'] });
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

  it('times out when resources/subscribe is not answered', async () => {
    const clock = createFakeClock();
    const raw = scriptedServer(
      session({ capabilities: subscribable }, (message, send) => {
        if (message.method === 'resources/subscribe') clock.advance(60_000);
        else if (message.id !== undefined) send(answer(message, {}));
      }),
    );
    const client = await connect(raw.transport, { protocolVersions: ['2025-06-18'], ...withClock(clock) });
    await expect(client.subscribe({ resourceSubscriptions: ['a://b'] })).rejects.toMatchObject({ code: 'timeout' });
    await client.close();
  });

  it('shares one resources/subscribe between its subscriptions, and keeps it until the last one closes', async () => {
    const raw = scriptedServer(
      session({ capabilities: subscribable }, (message, send) => message.id !== undefined && send(answer(message, {}))),
    );
    const client = await connect(raw.transport, { protocolVersions: ['2025-06-18'] });
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

  it('rejects when the server disconnects before the acknowledgement', async () => {
    const raw = scriptedServer(exchange(mute));
    const client = await connect(raw.transport);
    const opening = client.subscribe({ toolsListChanged: true });
    raw.leave();
    await expect(opening).rejects.toMatchObject({ code: 'connection-closed' });
  });
});
