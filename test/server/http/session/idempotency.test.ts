/** Idempotency keys over HTTP: sessions and single requests come and go, the call is carried out once. */
import { connect, createServer, type ProtocolVersion, serveHttp, tool, toText } from 'tenon';
import { expect, it } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';

const revisions: ProtocolVersion[] = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

it.each(revisions)('A call at %s is answered alike by another session or connection', async (revision) => {
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

it('A call that stands alone goes on when its client has gone, and another gets its result', async () => {
  const begun = deferred<AbortSignal>();
  const go = deferred<string>();
  let runs = 0;
  const slow = tool({}, (_given, { signal }) => {
    runs++;
    begun.resolve(signal);
    return go.promise;
  });
  const gone = deferred();
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      slow,
      unkept: tool({}, (_given, { signal }) => {
        return new Promise<string>((resolve) =>
          signal.addEventListener('abort', () => {
            gone.resolve();
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
    one.tools.call('unkept').catch(({ code }) => code),
  ];
  const signal = await begun.promise;
  await one.close({ timeoutMs: 1 });
  expect(await Promise.all(lost)).toEqual(['connection-closed', 'connection-closed']);
  await gone.promise;
  expect(signal.aborted).toBe(false);
  const other = await connect(service.url, { protocolVersions: ['2026-07-28'] });
  const again = other.tools.call('slow', {}, { idempotencyKey: 'k' });
  go.resolve('done');
  expect(toText(await again)).toBe('done');
  expect(runs).toBe(1);
  await other.close();
  await service.close();
});
