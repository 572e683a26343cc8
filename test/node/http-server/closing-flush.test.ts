/** A server that closes while a client still reads its response. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it } from 'vitest';
import { loneCall } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';

it('A server that closes waits, up to shutdownMs, for responses that are being read [S37]', async () => {
  const large = 'x'.repeat(12_000_000);
  const server = createServer({ name: 's', version: '1', tools: { large: tool({}, () => large) } });
  const service = await serveHttp(server, { port: 0, timeouts: { shutdownMs: 60_000 } });
  const reader = dial(service);
  const { socket, until, text } = reader;
  socket.write(written(loneCall('large')));
  await until(/^HTTP\/1\.1 200 OK/);
  socket.pause();
  const closed = service.close();
  setImmediate(() => socket.resume());
  await closed;
  await reader.received;
  const length = Number(/content-length: (\d+)/i.exec(text())?.[1]);
  expect(length).toBeGreaterThan(large.length);
  expect(text().length - text().indexOf('\r\n\r\n') - 4).toBe(length);
});
