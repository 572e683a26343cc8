/** Idempotency keys over HTTP: a call runs once, over several sessions and connections. */
import { connect, createServer, type ProtocolVersion, serveHttp, tool, toText } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { expect, it, vi } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';

const revisions: ProtocolVersion[] = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

it.each(revisions)('A call at %s gets the same result in another session or connection', async (revision) => {
  let runs = 0;
  const server = createServer({ name: 's', version: '1', tools: { pay: tool({}, () => `paid ${++runs}`) } });
  const service = await serveHttp(server, { port: 0 });
  const texts = [];
  for (const _ of [1, 2]) {
    const client = await connect(service.url, { protocolVersions: [revision] });
    texts.push(toText(await client.tools.call('pay', {}, { idempotencyKey: 'k' })));
    await client.close();
  }
  expect(texts).toEqual(['paid 1', 'paid 1']);
  await service.close();
});

it('A call of an exchange continues when its client disconnects, and another client gets its result', async () => {
  const begun = deferred<AbortSignal>();
  const finish = deferred<string>();
  let runs = 0;
  const slow = tool({}, (_given, { signal }) => {
    runs++;
    begun.resolve(signal);
    return finish.promise;
  });
  const aborted = deferred();
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      slow,
      withoutKey: tool({}, (_given, { signal }) => {
        return new Promise<string>((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.resolve();
            resolve('stopped');
          }),
        );
      }),
    },
  });
  const service = await serveHttp(server, { port: 0 });
  const one = await connect(service.url, { protocolVersions: ['2026-07-28'] });
  const lost = [
    one.tools.call('slow', {}, { idempotencyKey: 'k' }).catch(({ code }) => code),
    one.tools.call('withoutKey').catch(({ code }) => code),
  ];
  const signal = await begun.promise;
  await one.close({ timeoutMs: 1 });
  expect(await Promise.all(lost)).toEqual(['connection-closed', 'connection-closed']);
  await aborted.promise;
  expect(signal.aborted).toBe(false);
  const other = await connect(service.url, { protocolVersions: ['2026-07-28'] });
  const again = other.tools.call('slow', {}, { idempotencyKey: 'k' });
  finish.resolve('done');
  expect(toText(await again)).toBe('done');
  expect(runs).toBe(1);
  await other.close();
  await service.close();
});

it('The first key that arrives at a server without a store gives one warning, over HTTP alone', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const warnings = () =>
    warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('idempotency key'));
  const definition = { name: 's', version: '1', tools: { pay: tool({}, () => 'paid') } };
  const server = createServer(definition);
  const near = await connect(server);
  await near.tools.call('pay', {}, { idempotencyKey: 'a' });
  const service = await serveHttp(server, { port: 0 });
  const client = await connect(service.url);
  await client.tools.call('pay');
  expect(warnings()).toEqual([]);
  for (const idempotencyKey of ['b', 'c']) await client.tools.call('pay', {}, { idempotencyKey });
  expect(warnings()).toEqual([expect.stringContaining('a repeat of the call runs again')]);
  const stored = await serveHttp(createServer(definition, { secrets: ['0123456789abcdef0123456789abcdef'] }), {
    port: 0,
    store: createMemoryStore(),
  });
  const other = await connect(stored.url);
  await other.tools.call('pay', {}, { idempotencyKey: 'd' });
  expect(warnings()).toHaveLength(1);
  await Promise.all([near, client, other].map((each) => each.close()));
  await Promise.all([service.close(), stored.close()]);
  warn.mockRestore();
});
