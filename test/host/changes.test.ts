/** The changes of all servers as one stream, and the health of each server. */

import type { ProtocolVersion } from 'tenon';
import { createServer, resource, tool, toText } from 'tenon';
import { createHost, type HostChange, type HostSubscription } from 'tenon/host';
import { protocolVersions } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { scriptedServer } from './scripted-server.ts';

const growing = () =>
  createServer({ name: 'growing', version: '1.0.0', tools: { first: tool({}, () => 'one') }, resources: {} });

/** The next change that is not about a connection. */
async function nextOf(changes: AsyncIterator<HostChange>): Promise<HostChange> {
  for (;;) {
    const { value } = await changes.next();
    if (value?.change.type !== 'connection') return value as HostChange;
  }
}

const iterate = (changes: HostSubscription): AsyncIterator<HostChange> => changes[Symbol.asyncIterator]();

describe.each(protocolVersions)('under %s', (revision: ProtocolVersion) => {
  it('one stream reports which list of which server has changed [S30]', async () => {
    const a = growing();
    const b = growing();
    await using host = createHost({ servers: { a, b }, connectOptions: { protocolVersions: [revision] } });
    const changes = iterate(host.subscribe());
    await host.tools.list();
    // A request and its response after the subscription: by then the server has it.
    await host.resources.list();
    const first = nextOf(changes);
    b.update(({ tools }) => {
      tools.second = tool({}, () => 'two');
    });
    expect(await first).toEqual({ server: 'b', change: { type: 'tools' } });
    expect((await host.tools.list()).items.map(({ name }) => name)).toEqual(['a__first', 'b__first', 'b__second']);
    a.update(({ resources }) => {
      resources['data://x'] = resource({ name: 'x' }, () => 'x');
    });
    expect(await nextOf(changes)).toEqual({ server: 'a', change: { type: 'resources' } });
  });
});

describe('the stream of changes', () => {
  it('starts no server, and reports the states of the connections', async () => {
    const server = scriptedServer(() => ({ content: [{ type: 'text', text: 'here' }] }));
    await using host = createHost({ servers: { server }, consent: 'allow-all' });
    const changes = iterate(host.subscribe());
    expect(server.connections()).toBe(0);
    const next = changes.next();
    expect(toText(await host.tools.call('server__a'))).toBe('here');
    expect(await next).toMatchObject({ value: { server: 'server', change: { type: 'connection' } } });
    expect(await changes.next()).toMatchObject({ value: { change: { type: 'connection', state: 'ready' } } });
    server.disconnect();
    expect(await changes.next()).toMatchObject({ value: { change: { type: 'connection', state: 'closed' } } });
    await host.close();
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    expect(await iterate(host.subscribe()).next()).toEqual({ done: true, value: undefined });
  });

  it('holds one change of each kind, so that a flood from one server does not hide the others', async () => {
    const loud = scriptedServer(() => ({ tools: [] }));
    const quiet = scriptedServer(() => ({ tools: [] }));
    await using host = createHost({ servers: { loud, quiet } });
    await host.tools.list();
    const changes = host.subscribe();
    await host.tools.list();
    for (let n = 0; n < 10_000; n++) loud.send({ method: `notifications/${n % 2 ? 'tools' : 'prompts'}/list_changed` });
    quiet.send({ method: 'notifications/resources/list_changed' });
    await host.tools.list();
    const reported: string[] = [];
    for await (const { server, change } of changes) {
      reported.push(`${server} ${change.type}`);
      if (server === 'quiet') break;
    }
    expect(reported.length).toBeLessThanOrEqual(3);
    expect(new Set(reported).size).toBe(reported.length);
  });

  it('ends when it is closed, and a new one can be opened', async () => {
    const server = growing();
    await using host = createHost({ servers: { server }, connectOptions: { protocolVersions: ['2026-07-28'] } });
    await host.tools.list();
    const first = host.subscribe();
    await first.close();
    expect(await iterate(first).next()).toEqual({ done: true, value: undefined });
    const second = iterate(host.subscribe());
    await host.tools.list();
    server.update(({ tools }) => {
      tools.second = tool({}, () => 'two');
    });
    expect(await nextOf(second)).toEqual({ server: 'server', change: { type: 'tools' } });
  });
});

describe('the health of a server', () => {
  it('counts calls and failures, and has the last error and the latency of the last call', async () => {
    const broken = resource({ name: 'broken' }, () => {
      throw new Error('broken');
    });
    const server = createServer(
      {
        name: 'weather',
        version: '1.0.0',
        tools: { now: tool({}, () => 'noon') },
        resources: { 'data://broken': broken },
      },
      { onError: () => {} },
    );
    await using host = createHost({ servers: { weather: server, other: growing() }, consent: 'allow-all' });
    const unused = { state: 'idle', calls: 0, failures: 0, inFlight: 0, latencyMs: undefined, lastError: undefined };
    expect(host.health()).toMatchObject([
      { server: 'weather', ...unused },
      { server: 'other', ...unused },
    ]);
    const calling = host.tools.call('weather__now');
    await Promise.resolve();
    await calling;
    await expect(host.resources.read('weather/data://broken')).rejects.toMatchObject({ reason: 'internal-error' });
    expect(host.health()).toMatchObject([
      {
        state: 'ready',
        calls: 2,
        failures: 1,
        inFlight: 0,
        latencyMs: expect.any(Number),
        lastError: { error: { reason: 'internal-error' }, at: expect.any(Number) },
        serverInfo: { name: 'weather', version: '1.0.0' },
        protocolVersion: '2026-07-28',
      },
      { state: 'idle', calls: 0 },
    ]);
  });

  it('is closed after the host has closed, and calls are rejected', async () => {
    const host = createHost({ servers: { a: growing(), b: growing() }, consent: 'allow-all' });
    await host.tools.call('a__first');
    await host.close();
    await host.close();
    expect(host.health().map(({ state }) => state)).toEqual(['closed', 'closed']);
    await expect(host.tools.call('a__first')).rejects.toMatchObject({ code: 'connection-closed' });
    expect(await host.tools.list()).toMatchObject({ items: [], errors: [{ server: 'a' }, { server: 'b' }] });
  });

  it('requests no consent after the host has closed, and rejects the calls that waited for it', async () => {
    const consents: Array<() => void> = [];
    const tool = () => new Promise<'allow'>((resolve) => consents.push(() => resolve('allow')));
    const host = createHost({ servers: { a: growing() }, consent: { tool } });
    const waiting = host.tools.call('a__first').catch((error) => error);
    await expect.poll(() => consents.length).toBe(1);
    await host.close();
    expect(await waiting).toMatchObject({ code: 'connection-closed' });
    await expect(host.tools.call('a__first')).rejects.toMatchObject({ code: 'connection-closed' });
    expect(consents).toHaveLength(1);
  });

  it('recovers: the host reconnects to a server in this process when it is used again', async () => {
    const server = scriptedServer(() => ({ content: [{ type: 'text', text: 'here' }] }));
    await using host = createHost({ servers: { server }, consent: 'allow-all' });
    await host.tools.call('server__a');
    server.disconnect();
    await expect.poll(() => host.health()[0]?.state).toBe('closed');
    expect(toText(await host.tools.call('server__a'))).toBe('here');
    expect([server.connections(), host.health()[0]?.state]).toEqual([2, 'ready']);
  });
});

it('a filter chooses what is reported: lists, and resources by their hostUri', async () => {
  const server = createServer({
    name: 'desk',
    version: '1.0.0',
    tools: { first: tool({}, () => 'one') },
    resources: { 'data://x': resource({ name: 'x' }, () => 'x') },
  });
  await using host = createHost({ servers: { desk: server }, consent: 'allow-all' });
  expect(() => host.subscribe({ tools: true } as never)).toThrow(/toolsListChanged/);
  expect(() => host.subscribe({ resourceSubscriptions: ['other/data://x'] })).toThrow(/hostUri/);
  const { hostUri } = (await host.resources.list()).items[0] ?? { hostUri: '' };
  const changes = iterate(host.subscribe({ resourceSubscriptions: [hostUri] }));
  const next = nextOf(changes);
  await host.resources.read(hostUri);
  server.update(({ tools }) => {
    tools.second = tool({}, () => 'two');
  });
  server.sendResourceUpdated('data://x');
  expect(await next).toEqual({ server: 'desk', change: { type: 'resource', uri: 'data://x' } });
});
