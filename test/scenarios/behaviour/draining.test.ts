import { createServer, resource, tool } from 'tenon';
import type { Middleware, ServerConnection } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { envelope, handshake, type Json, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

/** A server with one tool that returns on `release`, both ends of a connection to it, and the messages it sent. */
function open(...middleware: Middleware[]) {
  const [near, far] = createMemoryTransports();
  const [begun, release, ended] = [deferred(), deferred(), deferred()];
  const server = createServer(
    {
      name: 'draining',
      version: '1',
      tools: {
        wait: tool({}, async () => {
          begun.resolve();
          await release.promise;
          return 'done';
        }),
      },
      resources: { 'a://b': resource({}, () => 'x') },
    },
    { middleware },
  );
  const connection: ServerConnection = server.accept(far);
  const received: Json[] = [];
  const waiting: Array<() => void> = [];
  near.open({
    onMessage(text) {
      received.push(JSON.parse(text));
      for (const wake of waiting.splice(0)) wake();
    },
    onClose: () => ended.resolve(),
  });
  /** The first message that matches. */
  async function first(fits: (message: Json) => boolean): Promise<Json> {
    for (let found = received.find(fits); ; found = received.find(fits)) {
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }
  const send = (message: unknown): void => near.send(JSON.stringify(message));
  return { connection, server, received, send, first, begun, release, ended };
}

const answered = (id: unknown) => (message: Json) => message.id === id;
const acknowledged = ({ method }: Json) => method === 'notifications/subscriptions/acknowledged';
const listen = (id: unknown) =>
  request(id, 'subscriptions/listen', envelope({ notifications: { toolsListChanged: true } }));
const overloaded = { error: { code: -31503, message: expect.stringContaining('closing this connection') } };

describe('a server that closes a connection with a subscription', () => {
  it('cancels the listen request, answers it, and sends nothing more for it [e-cancel-02, e-cancel-03, e-cancel-12, e-subscriptions-10, e-subscriptions-11]', async () => {
    const { connection, server, received, send, first, begun, release, ended } = open();
    send(listen('L'));
    await first(acknowledged);
    send(request('call', 'tools/call', envelope({ name: 'wait' })));
    await begun.promise;
    const closed = connection.close();
    server.update(({ tools }) => {
      delete tools.wait;
    });
    release.resolve();
    await closed;
    await ended.promise;
    expect(received).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { method: 'notifications/cancelled', params: { requestId: 'L' } },
      { id: 'L', result: { resultType: 'complete', _meta: { [subscriptionId]: 'L' } } },
      { id: 'call', result: { content: [{ text: 'done' }] } },
    ]);
  });

  it('cancels nothing else, even where running calls are cut off [e-cancel-03, e-cancel-12]', async () => {
    const { connection, received, send, first, begun, ended } = open();
    send(listen('L'));
    await first(acknowledged);
    send(request('call', 'tools/call', envelope({ name: 'wait' })));
    await begun.promise;
    await connection.close(1);
    await ended.promise;
    const cancellations = received.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancellations).toMatchObject([{ params: { requestId: 'L' } }]);
  });

  it('waits for the middleware around the listen request', async () => {
    const { connection, received, send, first, ended } = open(async (_call, next) => {
      const settled = await next();
      await Promise.resolve();
      return settled;
    });
    send(listen('L'));
    await first(acknowledged);
    await connection.close();
    await ended.promise;
    expect(received.at(-1)).toMatchObject({ id: 'L', result: { resultType: 'complete' } });
  });

  it('refuses a listen request that middleware passes on too late', async () => {
    const [arrived, go] = [deferred(), deferred()];
    const { connection, received, send, ended } = open(async (_call, next) => {
      arrived.resolve();
      await go.promise;
      return next();
    });
    send(listen('L'));
    await arrived.promise;
    const closed = connection.close();
    go.resolve();
    await closed;
    await ended.promise;
    expect(received).toMatchObject([{ id: 'L', ...overloaded }]);
  });
});

describe('a request whose params are refused', () => {
  const refusal = (id: string) => ({ id, error: { code: -32602, message: expect.stringContaining('params.name') } });

  it('is answered before the connection closes in an exchange', async () => {
    const { connection, received, send, first, ended } = open();
    send(request('wrong', 'tools/call', envelope({ name: 7 })));
    send(request('list', 'tools/list', envelope()));
    await first(answered('list'));
    await connection.close();
    await ended.promise;
    expect(received).toMatchObject([{ id: 'list' }, refusal('wrong')]);
  });

  it.each(sessions)('is answered before the connection closes in a session at %s', async (revision) => {
    const { connection, received, send, first, ended } = open();
    send(handshake(revision));
    await first(answered('hello'));
    send(request('wrong', 'tools/call', { name: 7 }));
    send(request('ping', 'ping'));
    await first(answered('ping'));
    await connection.close();
    await ended.promise;
    expect(received.slice(1)).toMatchObject([{ id: 'ping' }, refusal('wrong')]);
  });

  it('does not prevent the other answers of its batch', async () => {
    const { connection, received, send, first, ended } = open();
    send(handshake('2025-03-26'));
    await first(answered('hello'));
    send([request('list', 'tools/list'), request('wrong', 'tools/call', { name: 7 })]);
    send(request('ping', 'ping'));
    await first(answered('ping'));
    await connection.close();
    await ended.promise;
    expect(received.slice(1)).toMatchObject([{ id: 'ping' }, [{ id: 'list', result: {} }, refusal('wrong')]]);
  });

  it('is not answered where it is cancelled before its error is sent', async () => {
    const { connection, received, send, first, ended } = open();
    send(request('wrong', 'tools/call', envelope({ name: 7 })));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'wrong' } });
    send(request('list', 'tools/list', envelope()));
    await first(answered('list'));
    await connection.close();
    await ended.promise;
    expect(received).toMatchObject([{ id: 'list' }]);
  });
});

describe('while a connection drains', () => {
  it('requests of exchanges are refused, listen requests too', async () => {
    const { connection, send, first, begun, release } = open();
    send(request('call', 'tools/call', envelope({ name: 'wait' })));
    await begun.promise;
    const closed = connection.close();
    send(listen('late'));
    send(request('list', 'tools/list', envelope()));
    send(request('discover', 'server/discover', envelope()));
    for (const id of ['late', 'list', 'discover']) expect(await first(answered(id))).toMatchObject(overloaded);
    release.resolve();
    expect(await first(answered('call'))).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await closed;
  });

  it.each(sessions)('requests of a session are refused at %s, but a ping is answered', async (revision) => {
    const { connection, send, first, begun, release } = open();
    send(handshake(revision));
    await first(answered('hello'));
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    send(request('call', 'tools/call', { name: 'wait' }));
    await begun.promise;
    const closed = connection.close();
    send(request('subscribe', 'resources/subscribe', { uri: 'a://b' }));
    send(request('level', 'logging/setLevel', { level: 'error' }));
    send(request('list', 'tools/list'));
    send(request('ping', 'ping'));
    for (const id of ['subscribe', 'level', 'list']) expect(await first(answered(id))).toMatchObject(overloaded);
    expect(await first(answered('ping'))).toMatchObject({ result: {} });
    release.resolve();
    expect(await first(answered('call'))).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await closed;
  });
});

it('a cancelled listen request is not answered, and no more changes are sent [e-cancel-13]', async () => {
  const { connection, server, received, send, first, ended } = open();
  send(listen('L'));
  await first(acknowledged);
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'L' } });
  send(request('list', 'tools/list', envelope()));
  await first(answered('list'));
  server.update(({ tools }) => {
    delete tools.wait;
  });
  await connection.close();
  await ended.promise;
  expect(received).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }, { id: 'list' }]);
});

describe('a client with a subscription', () => {
  /** A server that acknowledges a subscription, then ends it with the given messages. */
  const ending = (end: (id: unknown) => Json[]) =>
    scriptedAt('2026-07-28', { tools: { listChanged: true } }, ({ id, method }, send) => {
      if (method !== 'subscriptions/listen') return {};
      const params = { notifications: { toolsListChanged: true }, _meta: { [subscriptionId]: id } };
      send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      for (const message of end(id)) send(message);
      return undefined;
    });
  const cancelled = (id: unknown): Json => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id },
  });
  const result = (id: unknown): Json => ({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', _meta: { [subscriptionId]: id } },
  });

  it.each<[string, (id: unknown) => Json[]]>([
    ['a result', (id) => [result(id)]],
    ['a notification', (id) => [cancelled(id)]],
    ['both', (id) => [cancelled(id), result(id)]],
    ['both, in the other order', (id) => [result(id), cancelled(id)]],
  ])('sees it end by %s', async (_how, end) => {
    const { client, received, warnings } = ending(end);
    const connected = await client;
    const stream = await connected.subscribe({ toolsListChanged: true });
    expect(await stream[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    await connected.close();
    expect(received.filter(({ method }) => method === 'notifications/cancelled')).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
