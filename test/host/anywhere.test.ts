/** The host without Node: servers by their address, and a plain word on those that would have to be started. */
import { createServer, serveHttp, tool, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/index.ts';

it('reaches servers by their address, and says of a command what it can reach', async () => {
  const clock = createServer({ name: 'clock', version: '1.0.0', tools: { now: tool({}, () => 'noon') } });
  const service = await serveHttp(clock, { port: 0 });
  onTestFinished(() => service.close());
  const servers = { clock: { url: service.url }, files: { command: 'node' }, token: { url: '${TOKEN}' } };
  await using host = createHost({ servers, consent: 'allow-all' });
  const { items, errors: failures } = await host.tools.list();
  expect(items.map(({ name }) => name)).toEqual(['clock__now']);
  expect(failures).toMatchObject([
    { server: 'files', error: { code: 'invalid-argument' } },
    { server: 'token', error: { code: 'invalid-argument' } },
  ]);
  expect(toText(await host.tools.call('clock__now'))).toBe('noon');
});
