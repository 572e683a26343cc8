/** A connection to an upstream is lost: what callers have subscribed to is opened again, and what they may have missed is reported. */
import { createServer, type ProtocolVersion, resource, type Server, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { Reopening } from '../../src/gateway/connections/reopening.ts';
import type { UpstreamOptions } from '../../src/gateway/types.ts';
import { createDeadlines } from '../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openClient, startGateway } from './start.ts';

const versions = [newestSession.id as ProtocolVersion, exchangeVersion];
const crossings = versions.flatMap((caller) => versions.map((behind) => [caller, behind] as const));

/** An upstream whose connections a test can close. */
function losable(): { server: Server; options: UpstreamOptions; opened: () => number; lose: () => Promise<void> } {
  const server = createServer({
    name: 'u',
    version: '1.0.0',
    tools: { one: tool({}, () => '1') },
    resources: { 'notes://one': resource({}, () => 'one') },
  }) as Server;
  const connections: { close(waitMs?: number): Promise<void> }[] = [];
  const accept = (transport: never): unknown => {
    const connection = server.accept(transport);
    connections.push(connection);
    return connection;
  };
  const lose = async (): Promise<void> => {
    await Promise.all(connections.map((one) => one.close(0)));
  };
  return { server, options: { server: { accept } as never }, opened: () => connections.length, lose };
}

describe.each(crossings)('A caller at %s and an upstream at %s', (caller, behind) => {
  const start = async () => {
    const upstream = losable();
    const clock = createFakeClock();
    const { gateway } = startGateway(
      { u: { ...upstream.options, protocolVersions: [behind] } },
      { server: { ...withClock(clock) } },
    );
    const client = await openClient(gateway.server, { protocolVersions: [caller] });
    await client.tools.list().all();
    return { ...upstream, gateway, clock, client };
  };

  it('gets updates of a resource that it follows, and one for those that it may have missed', async () => {
    const { server, opened, lose, clock, client } = await start();
    const subscription = await client.subscribe({ resourceSubscriptions: ['notes://one'] });
    const changes = subscription[Symbol.asyncIterator]();
    const before = opened();
    await lose();
    const missed = changes.next();
    for (let ms = 0; opened() === before && ms < 60; ms++) await vi.waitFor(() => clock.advance(1000));
    expect(await withTimeout(missed, 'the missed change')).toMatchObject({
      value: { type: 'resource', uri: 'notes://one' },
    });
    const next = changes.next();
    server.sendResourceUpdated('notes://one');
    expect(await withTimeout(next, 'the next change')).toMatchObject({ value: { type: 'resource' } });
  });

  it('is notified of lists that have changed meanwhile', async () => {
    const { server, opened, lose, clock, client } = await start();
    const subscription = await client.subscribe({ toolsListChanged: true });
    const changes = subscription[Symbol.asyncIterator]();
    const before = opened();
    await lose();
    server.update(({ tools }) => {
      tools.two = tool({}, () => '2');
    });
    const changed = changes.next();
    for (let ms = 0; opened() === before && ms < 60; ms++) await vi.waitFor(() => clock.advance(1000));
    expect(await withTimeout(changed, 'the change')).toMatchObject({ value: { type: 'tools' } });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('has no connection opened for it after it has ended its subscription', async () => {
    const { opened, lose, clock, client, gateway } = await start();
    const subscription = await client.subscribe({ resourceSubscriptions: ['notes://one'] });
    await subscription.close();
    await client.close();
    await vi.waitFor(() => expect(gateway.server).toBeDefined());
    const before = opened();
    await lose();
    clock.advance(120_000);
    expect(opened()).toBe(before);
  });
});

it('The pause doubles while what is opened does not last, up to a minute, and begins again once it has', async () => {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const opened: number[] = [];
  let fails = true;
  const reopening = new Reopening(deadlines, async () => {
    opened.push(clock.now());
    if (fails) throw new Error('down');
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  reopening.lost();
  reopening.lost();
  for (let second = 0; second < 130; second++) {
    clock.advance(1000);
    await settle();
  }
  const start = (opened[0] as number) - 1000;
  expect(opened.map((at) => (at - start) / 1000)).toEqual([1, 3, 7, 15, 31, 63, 123]);
  fails = false;
  clock.advance(60_000);
  await settle();
  clock.advance(60_000);
  opened.length = 0;
  const lostAt = clock.now();
  reopening.lost();
  clock.advance(1000);
  await settle();
  expect(opened.map((at) => at - lostAt)).toEqual([1000]);
  reopening.close();
  reopening.lost();
  clock.advance(120_000);
  expect(opened).toHaveLength(1);
});
