/** The clients of a process share keep-alive connections: each has its own limit. */

import { once } from 'node:events';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { connect, createClient, createServer, serveHttp, tool, toText } from 'tenon';
import * as undici from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { addressOf } from '../../../src/client/http/port/port.ts';
import { createNodePort } from '../../../src/node/http-client/undici-port.ts';
import {
  alone,
  type Json,
  type Received,
  scripted,
  session,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const holds = (one: Received): boolean => (one.message.params as Json | undefined)?.name === 'hold';
const options = { protocolVersions: [alone], reconnect: false } as const;
const socketsOf = (received: readonly Received[]): Set<Socket> =>
  new Set(received.map(({ response }) => response.req.socket));

it('twenty clients that call one after the other share one connection', async () => {
  const server = await scripted();
  const clients = [];
  for (let n = 0; n < 20; n++) clients.push(await connect(server.url, options));
  for (const client of clients) await client.tools.call('look');
  // A connection is free one turn of the event loop after its response.
  expect(socketsOf(server.received).size).toBeLessThanOrEqual(2);
  for (const client of clients) await client.close();
});

it('a client that has reached its connection limit does not block others', async () => {
  const server = await scripted((one) => (holds(one) ? stream(one.response, ': held\n\n') : false));
  const busy = await connect({ url: server.url, maxConnections: 2 }, options);
  onTestFinished(() => busy.close({ timeoutMs: 1 }));
  const held = [1, 2, 3].map(() => busy.tools.call('hold').catch(({ code }) => code));
  await server.until(holds, 2);
  const other = await connect({ url: server.url, maxConnections: 2 }, options);
  expect(await withTimeout(other.tools.call('look'), 'the call of the other client')).toMatchObject(textResult('done'));
  expect(server.received.filter(holds)).toHaveLength(2);
  await other.close();
  await busy.close({ timeoutMs: 1 });
  expect(await Promise.all(held)).toHaveLength(3);
});

it('a client that closes does not close the connections of others, and the last one closes all', async () => {
  const server = await scripted();
  const [one, other] = await Promise.all([connect(server.url, options), connect(server.url, options)]);
  await Promise.all([one.tools.call('look'), other.tools.call('look')]);
  await one.close();
  await one.close();
  expect(await other.tools.call('look')).toMatchObject(textResult('done'));
  const sockets = [...socketsOf(server.received)];
  const closed = sockets.map((socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve)));
  await other.close();
  await withTimeout(Promise.all(closed), 'all connections to close');
});

it('a call that is cancelled while it waits for a connection is never sent', async () => {
  const server = await scripted((one) => (holds(one) ? stream(one.response, ': held\n\n') : false));
  const client = await connect({ url: server.url, maxConnections: 1 }, options);
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  const [first, second] = [new AbortController(), new AbortController()];
  const holding = client.tools.call('hold', {}, { signal: first.signal }).catch(({ code }) => code);
  await server.until(holds);
  const waiting = client.tools.call('never', {}, { signal: second.signal }).catch(({ code }) => code);
  second.abort();
  expect(await withTimeout(waiting, 'the cancelled call')).toBe('cancelled');
  first.abort();
  expect(await holding).toBe('cancelled');
  expect(await withTimeout(client.tools.call('look'), 'the next call')).toMatchObject(textResult('done'));
  expect(server.received.some(({ message }) => (message.params as Json | undefined)?.name === 'never')).toBe(false);
});

it('calls that wait for a connection are sent in order, before later calls', async () => {
  const server = await scripted();
  const client = await connect({ url: server.url, maxConnections: 1 }, options);
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  const finished = new AbortController();
  const loop = async (): Promise<void> => {
    while (!finished.signal.aborted) await client.tools.call('loop');
  };
  const looping = loop();
  const other = client.tools.call('other').then(() => finished.abort());
  await withTimeout(Promise.all([looping, other]), 'the other call');
  const names = server.posted('tools/call').map(({ message }) => (message.params as Json).name);
  expect(names.indexOf('other')).toBeLessThanOrEqual(2);
});

it.each([alone, session] as const)('at %s open streams do not block calls', async (revision) => {
  const server = createServer({ name: 's', version: '1', tools: { look: tool({}, () => 'seen') } });
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const client = await connect({ url: service.url, maxConnections: 1 }, { protocolVersions: [revision] });
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  await withTimeout(client.subscribe({ toolsListChanged: true }), 'the first stream');
  await withTimeout(client.subscribe({ toolsListChanged: true }), 'the second stream');
  expect(toText(await withTimeout(client.tools.call('look'), 'the call'))).toBe('seen');
});

it('a client that closes leaves no connection to its server while other clients use other servers', async () => {
  const [near, far] = [await scripted(), await scripted()];
  const other = await connect(far.url, options);
  onTestFinished(() => other.close());
  const client = await connect(near.url, options);
  await client.tools.call('look');
  const closed = [...socketsOf(near.received)].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  await client.close();
  await withTimeout(Promise.all(closed), 'its connections to close');
  expect(await other.tools.call('look')).toMatchObject(textResult('done'));
});

it('a client that is closed while it connects leaves no socket behind', async () => {
  const taken = new Set<Socket>();
  const silent = createNetServer((socket) => taken.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const client = createClient(`https://127.0.0.1:${port}/mcp`, options);
  const first = once(silent, 'connection');
  const ready = client.connection.ready().catch(({ code }) => code);
  await withTimeout(first, 'the connection');
  const closed = [...taken].map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
  await client.close();
  expect(await ready).toBe('connection-closed');
  await withTimeout(Promise.all(closed), 'its socket to close', 5000);
});

it('a request after its port was closed fails, and nothing is sent', async () => {
  const server = await scripted();
  const port = createNodePort(undici);
  await port.close();
  const address = addressOf(new URL(server.url));
  const failed = new Promise((resolve) => {
    const receive = {
      head() {},
      chunk() {},
      end: () => resolve('answered'),
      broke: (error: unknown) => resolve(error),
    };
    port.request({ method: 'GET', address, headers: {} }, receive);
  });
  expect(await withTimeout(failed, 'the failure')).toBeInstanceOf(Error);
  expect(server.received).toEqual([]);
});
