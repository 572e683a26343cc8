/** The host without Node: it connects to servers by URL and reports those that need a process. */
import { createServer, serveHttp, tool, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/index.ts';

it('connects to servers by URL, and rejects a server that is a command', async () => {
  const clock = createServer({ name: 'clock', version: '1.0.0', tools: { now: tool({}, () => 'noon') } });
  const service = await serveHttp(clock, { port: 0 });
  onTestFinished(() => service.close());
  const servers = { clock: { url: service.url }, files: { command: 'node' }, token: { url: '${TOKEN}' } };
  await using host = createHost({ servers, consent: 'allow-all' });
  const { items, errors } = await host.tools.list();
  expect(items.map(({ name }) => name)).toEqual(['clock__now']);
  expect(errors).toMatchObject([
    { server: 'files', error: { code: 'invalid-argument' } },
    { server: 'token', error: { code: 'invalid-argument' } },
  ]);
  expect(toText(await host.tools.call('clock__now'))).toBe('noon');
});
