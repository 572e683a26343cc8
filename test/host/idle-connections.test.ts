/** Connections that are not used: closed after a time, and opened again on the next use. */
import { toText } from 'tenon';
import { createHost, type HostOptions } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { expect, it } from 'vitest';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../kit/deferred.ts';
import { scriptedServer } from './scripted-server.ts';

const results: Readonly<Record<string, Record<string, unknown>>> = {
  'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'here' }] },
  'resources/read': { contents: [{ uri: 'a://b', text: 'x' }] },
};

function hosting(options: Partial<HostOptions> = {}, answer = (method: string) => results[method] ?? {}) {
  const clock = createFakeClock();
  const server = scriptedServer(answer);
  const host = createHost({
    ...withClock(clock),
    servers: { server },
    consent: 'allow-all',
    timeouts: { idleMs: 60_000 },
    ...options,
  });
  const state = (): string | undefined => host.health()[0]?.state;
  return { clock, server, host, state };
}

it('an unused connection is closed after `idleMs`, and the next call opens it again [S30]', async () => {
  const { clock, server, host, state } = hosting();
  await host.tools.list();
  clock.advance(59_999);
  expect(toText(await host.tools.call('server__a'))).toBe('here');
  clock.advance(59_999);
  expect([state(), server.connections()]).toEqual(['ready', 1]);
  clock.advance(1);
  expect(state()).toBe('idle');
  expect(toText(await host.tools.call('server__a'))).toBe('here');
  expect([state(), server.connections()]).toEqual(['ready', 2]);
  await host.close();
});

it('a connection stays open by default', async () => {
  const { clock, host, state } = hosting({ timeouts: {} });
  await host.tools.list();
  clock.advance(24 * 3600_000);
  expect(state()).toBe('ready');
  await host.close();
});

it('a running call and a watched resource are uses', async () => {
  const calling = deferred();
  const { clock, server, host, state } = hosting({ connectOptions: { timeoutMs: 3600_000 } }, (method) => {
    if (method !== 'tools/call') return results[method] ?? {};
    calling.resolve();
    return undefined as never;
  });
  const controller = new AbortController();
  const call = host.tools.call('server__a', {}, { signal: controller.signal }).catch(({ code }) => code);
  await calling.promise;
  clock.advance(600_000);
  expect(state()).toBe('ready');
  controller.abort();
  expect(await call).toBe('cancelled');
  const watcher = await host.resources.watch('server/a://b', () => {});
  clock.advance(600_000);
  expect([state(), server.connections()]).toEqual(['ready', 1]);
  await watcher.close();
  clock.advance(60_000);
  expect(state()).toBe('idle');
  await host.close();
});

it('a subscription reports the idle state, and after that what may have been missed', async () => {
  const { clock, host } = hosting();
  const changes = host.subscribe({ toolsListChanged: true })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => (await changes.next()).value?.change;
  await host.tools.list();
  expect([await next()]).toMatchObject([{ type: 'connection', state: 'ready' }]);
  clock.advance(60_000);
  while (((await next()) as { state: string }).state !== 'idle');
  await host.tools.list();
  expect(await next()).toMatchObject({ type: 'connection', state: 'ready' });
  expect(await next()).toEqual({ type: 'tools' });
  await host.close();
});
