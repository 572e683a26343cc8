/** Clients that send too slowly or never read are disconnected with a status or a warning, and others are served. */

import type { Socket } from 'node:net';
import { tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { type Served, serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const patient = { timeouts: withFixed({ requestMs: 1000 }, { headersMs: 500 }) };

/** Writes one character every 10 ms, until the connection closes. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const next = setInterval(() => {
    if (at === text.length || socket.destroyed) clearInterval(next);
    else socket.write(text[at++] as string);
  }, 10);
  socket.once('close', () => clearInterval(next));
}

/** On a busy machine a request of ours may be too slow as well. */
async function expectServes({ url }: Served): Promise<void> {
  await expect.poll(async () => (await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
}

describe('a sender that is slow', () => {
  it.each([
    ['sends nothing', ''],
    ['stops inside a header', `${head}mcp-meth`],
    ['stops inside the body', `${head}content-length: 100\r\n\r\n{"jsonrpc"`],
    ['stops inside a chunk', `${head}transfer-encoding: chunked\r\n\r\n40\r\n{"json`],
  ])('and %s gets 408 and is disconnected, and others are served', async (_name, bytes) => {
    const served = await serve(patient);
    const { socket, received } = dial(served);
    socket.write(bytes);
    await expectServes(served);
    expect(await received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
    await expectServes(served);
  });

  it.each([
    ['headers', `${head}${'x: y\r\n'.repeat(1000)}`],
    ['a body', `${head}content-length: 10000\r\n\r\n${' '.repeat(10_000)}`],
  ])('and sends %s byte by byte is disconnected as well', async (_name, bytes) => {
    const served = await serve(patient);
    const { socket, received } = dial(served);
    drip(socket, bytes);
    expect(await received).toMatch(/^HTTP\/1\.1 408 /);
    await expectServes(served);
  });

  it('does not lock out other clients, even with two hundred at once', async () => {
    const served = await serve(patient);
    const all = Array.from({ length: 200 }, () => dial(served));
    for (const { socket } of all) socket.write(`${head}x: `);
    await expectServes(served);
    for (const { received } of all) expect(await received).toMatch(/^HTTP\/1\.1 408 /);
    expect(served.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });

  it('does not delay closing the server', async () => {
    const served = await serve();
    const { socket, received } = dial(served);
    await new Promise<void>((resolve) => socket.write(`${head}x: `, () => resolve()));
    await withTimeout(served.close(), 'the server to close');
    expect(await received).toBe('');
  });
});

describe('a client that does not read its responses', () => {
  const page = 'x'.repeat(3_000_000);
  const large = tool({}, () => page);
  const largeCall = written(loneCall('large'));

  it('is disconnected with a warning after stallMs, and others are served', async () => {
    const lines: object[] = [];
    const write = (fields: object, message: string): void => void lines.push({ ...fields, message });
    const logger = { debug: write, info: write, warn: write, error: write };
    const served = await serve({ timeouts: { stallMs: 100 }, logger }, {}, { tools: { large } });
    const { socket, received } = dial(served);
    socket.pause();
    // Far more than the buffers of both ends hold.
    for (let n = 0; n < 8; n++) socket.write(largeCall);
    await vi.waitFor(() => expect(served.warnings).toMatchObject([{ code: 'queue-full' }]));
    expect(served.stats().dropped.slow).toBe(1);
    expect(lines).toEqual([{ code: 'queue-full', message: 'warning' }]);
    await expectServes(served);
    socket.resume();
    expect((await received).split('HTTP/1.1 200').length).toBeLessThan(9);
    await vi.waitFor(() => expect(served.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }));
  });

  it('for a while, but then does, gets all responses', async () => {
    const served = await serve({ timeouts: { stallMs: 60_000 } }, {}, { tools: { large } });
    const { socket, received } = dial(served);
    socket.pause();
    for (let n = 0; n < 4; n++) socket.write(largeCall);
    await expectServes(served);
    let seen = 0;
    socket.on('data', (chunk) => {
      seen += chunk.length;
      if (seen > 4 * page.length) socket.end();
    });
    socket.resume();
    expect((await received).split('HTTP/1.1 200')).toHaveLength(5);
    expect(served.warnings).toEqual([]);
  });
});
