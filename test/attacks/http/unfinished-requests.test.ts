/** Clients that go on sending a request after it was answered: the connection closes soon, not when the time of a request is over. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { dial } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** Without the limit of one second, the connection would be closed by this one, or after the time-out of the test. */
const timeouts = withFixed({ requestMs: 600_000 }, { headersMs: 600_000 });
const json = 'content-type: application/json\r\n';
const large = 'content-length: 99000000\r\n\r\n';
const noPrincipal = { authenticate: () => undefined };

describe('a client whose body is', () => {
  it.each([
    ['too large', {}, `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${json}${large}`, 413],
    [
      'too large, in chunks',
      {},
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${json}transfer-encoding: chunked\r\n\r\n`,
      413,
    ],
    ['compressed', {}, `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${json}content-encoding: gzip\r\n${large}`, 415],
    ['for another host', {}, `POST /mcp HTTP/1.1\r\nhost: evil.example\r\n${json}${large}`, 403],
    ['of no principal', noPrincipal, `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${json}${large}`, 401],
    ['for another path', {}, `POST /other HTTP/1.1\r\nhost: localhost\r\n${large}`, 404],
  ])('%s gets its answer, and is disconnected while it sends the rest [S24]', async (_what, options, head, status) => {
    const served = await serve({ timeouts, limits: { maxBodyBytes: 1000 }, ...options });
    const { socket, until, received } = dial(served);
    socket.write(head);
    const chunk = head.includes('chunked') ? `800\r\n${'x'.repeat(2048)}\r\n` : 'x'.repeat(2048);
    socket.write(chunk);
    await until(/^HTTP\/1\.1 \d+ [^]*\r\n\r\n/);
    // Sends on for as long as the connection is open.
    const sendOn = (): void => void (socket.writable && socket.write(chunk, () => setImmediate(sendOn)));
    sendOn();
    expect(await withTimeout(received, 'the connection to close')).toMatch(`HTTP/1.1 ${status} `);
  });

  it('too large and never arrives is disconnected as well', async () => {
    const served = await serve({ timeouts });
    const { socket, received } = dial(served);
    socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n${json}${large}`);
    expect(await withTimeout(received, 'the connection to close')).toMatch('HTTP/1.1 413 ');
  });
});

it('a client that waits before it sends its body to a path beside the endpoint is told to go on [S24, S36]', async () => {
  const routes = {
    has: (path: string) => path === '/token',
    serve: (_path: string, request: IncomingMessage, response: ServerResponse) =>
      void request.resume().once('end', () => response.end('received')),
  };
  const served = await serve({
    authenticate: Object.assign(() => ({ anonymous: true }) as const, { routes }) as never,
  });
  const { socket, until } = dial(served);
  socket.write('POST /token HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
  await until(/^HTTP\/1\.1 100 Continue/);
  socket.write('body');
  await until(/received/);
});
