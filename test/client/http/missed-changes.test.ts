/** Notifications may be lost while the GET stream of a session is down: subscribers get a change when it is back. */
import { connect, type ProtocolVersion } from 'tenon';

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { answer, event, type Json, type Received, scripted, stream } from '../../kit/http/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const sessions = sessionVersions;
const isGet = ({ method }: Received): boolean => method === 'GET';

/** A client that caches lists, and `cut`, which breaks the GET stream of its server and waits for the next. */
async function listening(revision: ProtocolVersion, refuses: (request: Received) => boolean = () => false) {
  const clock = createFakeClock();
  const server = await scripted((request) => {
    const { method, message, response } = request;
    if (refuses(request)) return response.writeHead(400).end('No longer stored');
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
  // The client queues requests until the stream is open.
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

it.each(sessions)('a GET stream that opens after the first calls notifies too, at %s', async (revision) => {
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
  expect(await withTimeout(received, 'the change')).toEqual({ done: false, value: { type: 'tools' } });
  await changes.close();
});

describe.each(sessions)('A GET stream that is opened again at %s', (revision) => {
  it('notifies subscribers that there may be changes, and invalidates the cache [S27]', async () => {
    const { server, client, cut } = await listening(revision);
    await client.tools.list().all();
    const changes = await client.subscribe({ toolsListChanged: true });
    const received = changes[Symbol.asyncIterator]().next();
    await cut();
    expect(await withTimeout(received, 'the change')).toEqual({ done: false, value: { type: 'tools' } });
    await client.tools.list().all();
    expect(server.posted('tools/list')).toHaveLength(2);
    await changes.close();
  });

  it('several times within seconds notifies once, after the last time', async () => {
    const { client, cut, clock, server } = await listening(revision);
    const changes = await client.subscribe({ toolsListChanged: true });
    const received = changes[Symbol.asyncIterator]();
    const first = received.next();
    await cut();
    await withTimeout(first, 'the first change');
    const later = received.next();
    const settled = vi.fn();
    later.then(settled, settled);
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
    expect(settled).not.toHaveBeenCalled();
    clock.advance(5000);
    expect(await withTimeout(later, 'the combined change')).toEqual({ done: false, value: { type: 'tools' } });
    await changes.close();
  });

  it('without the last event id, since the server no longer has the events after it, notifies [S27]', async () => {
    const refuses = ({ headers }: Received): boolean => headers['last-event-id'] !== undefined;
    const { server, client, cut } = await listening(revision, refuses);
    const changes = await client.subscribe({ toolsListChanged: true });
    const received = changes[Symbol.asyncIterator]();
    server.received.find(isGet)?.response.write(event({ method: 'notifications/tools/list_changed' }, 'e1'));
    await withTimeout(received.next(), 'the first change');
    await cut();
    await server.until((one) => isGet(one) && refuses(one));
    const missed = { done: false, value: { type: 'tools' } };
    expect(await withTimeout(received.next(), 'the change that may have been missed')).toEqual(missed);
    const opened = server.received.findLast(isGet) as Received;
    expect(refuses(opened)).toBe(false);
    opened.response.write(event({ method: 'notifications/tools/list_changed' }, 'e2'));
    expect(await withTimeout(received.next(), 'the next change')).toEqual(missed);
    await changes.close();
  });

  it('does not notify if it resumes from the last event id', async () => {
    const message = { method: 'notifications/tools/list_changed' };
    const { server, client, cut } = await listening(revision);
    const changes = await client.subscribe({ toolsListChanged: true });
    server.received.find(isGet)?.response.write(event(message, 'e1'));
    await withTimeout(changes[Symbol.asyncIterator]().next(), 'the first change');
    await client.tools.list().all();
    await cut();
    await server.until((one) => isGet(one) && one.headers['last-event-id'] === 'e1');
    await client.ping();
    await client.tools.list().all();
    expect(server.posted('tools/list')).toHaveLength(1);
    await changes.close();
  });
});
