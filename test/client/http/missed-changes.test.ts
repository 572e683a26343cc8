/** What a server of sessions said while its stream was away is looked for: whoever listens hears that there may be news. */

import { connect, type ProtocolVersion, protocolVersions } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import { alone, answer, event, type Json, type Received, scripted, stream } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const sessions = protocolVersions.filter((id) => id !== alone);
const isGet = ({ method }: Received): boolean => method === 'GET';

/** A client that keeps lists, of a server with one stream, and what cuts that stream and waits for the next. */
async function listening(revision: ProtocolVersion) {
  const clock = createFakeClock();
  const server = await scripted(({ method, message, response }) => {
    if (method === 'GET') return stream(response);
    if (message.method !== 'initialize') return false;
    const { protocolVersion } = message.params as Json;
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 's', version: '1' };
    return answer(response, message.id, { protocolVersion, capabilities, serverInfo }, { 'mcp-session-id': 'one' });
  });
  const client = await connect(server.url, {
    protocolVersions: [revision],
    ...withClock(clock),
    cache: { ttlMs: 1e9 },
  });
  onTestFinished(() => client.close());
  // Requests are held back until the stream is open.
  await client.ping();
  const cut = async (): Promise<void> => {
    const gets = server.received.filter(isGet);
    gets.at(-1)?.response.destroy();
    await vi.waitFor(
      () => {
        clock.advance(1000);
        expect(server.received.filter(isGet).length).toBeGreaterThan(gets.length);
      },
      { interval: 1, timeout: 5000 },
    );
  };
  return { server, client, cut, clock };
}

it.each(sessions)('a stream that first opens when calls are made already counts as one, at %s', async (revision) => {
  const clock = createFakeClock();
  const server = await scripted(({ method, message, response }) => {
    if (method === 'GET')
      return server.received.filter(isGet).length === 1 ? response.writeHead(503).end() : stream(response);
    if (message.method !== 'initialize') return false;
    const { protocolVersion } = message.params as Json;
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 's', version: '1' };
    return answer(response, message.id, { protocolVersion, capabilities, serverInfo }, { 'mcp-session-id': 'one' });
  });
  const connecting = connect(server.url, { protocolVersions: [revision], ...withClock(clock) });
  await server.until(isGet);
  clock.advance(250);
  const client = await withTimeout(connecting, 'a connection');
  onTestFinished(() => client.close());
  const changes = await client.subscribe({ toolsListChanged: true });
  const received = changes[Symbol.asyncIterator]().next();
  await vi.waitFor(
    () => {
      clock.advance(500);
      expect(server.received.filter(isGet).length).toBeGreaterThan(1);
    },
    { interval: 1, timeout: 5000 },
  );
  expect(await withTimeout(received, 'the news')).toEqual({ done: false, value: { type: 'tools' } });
  await changes.close();
});

describe.each(sessions)('A stream of a session that is asked for again at %s', (revision) => {
  it('tells those who listen that there may be news, and what is kept is asked for again [S27]', async () => {
    const { server, client, cut } = await listening(revision);
    await client.tools.list().all();
    const changes = await client.subscribe({ toolsListChanged: true });
    const received = changes[Symbol.asyncIterator]().next();
    await cut();
    expect(await withTimeout(received, 'the news')).toEqual({ done: false, value: { type: 'tools' } });
    await client.tools.list().all();
    expect(server.posted('tools/list')).toHaveLength(2);
    await changes.close();
  });

  it('is told of once for all that come within some seconds, and the last is not forgotten', async () => {
    const { client, cut, clock, server } = await listening(revision);
    const changes = await client.subscribe({ toolsListChanged: true });
    const received = changes[Symbol.asyncIterator]();
    const first = received.next();
    await cut();
    await withTimeout(first, 'the first news');
    const later = received.next();
    const notified = vi.fn();
    later.then(notified, notified);
    const { length } = server.received.filter(isGet);
    server.received.findLast(isGet)?.response.destroy();
    await vi.waitFor(
      () => {
        clock.advance(50);
        expect(server.received.filter(isGet).length).toBeGreaterThan(length);
      },
      { interval: 1, timeout: 5000 },
    );
    await client.ping();
    expect(notified).not.toHaveBeenCalled();
    clock.advance(5000);
    expect(await withTimeout(later, 'the news told together')).toEqual({ done: false, value: { type: 'tools' } });
    await changes.close();
  });

  it('tells nothing where the server was told at which event it broke off', async () => {
    const message = { method: 'notifications/tools/list_changed' };
    const { server, client, cut } = await listening(revision);
    const changes = await client.subscribe({ toolsListChanged: true });
    server.received.find(isGet)?.response.write(event(message, 'e1'));
    await withTimeout(changes[Symbol.asyncIterator]().next(), 'the first news');
    await client.tools.list().all();
    await cut();
    await server.until((one) => isGet(one) && one.headers['last-event-id'] === 'e1');
    await client.ping();
    await client.tools.list().all();
    expect(server.posted('tools/list')).toHaveLength(1);
    await changes.close();
  });
});
