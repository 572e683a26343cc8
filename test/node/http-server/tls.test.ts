/** HTTPS, with a certificate made for the test. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { dial } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const missing =
  spawnSync('openssl', ['version']).status === 0 ? undefined : 'openssl is not installed, which makes the certificate';
const folder = mkdtempSync(join(tmpdir(), 'tenon-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A key and a certificate for this machine. */
function makeCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe('over HTTPS', () => {
  let tls: ReturnType<typeof makeCertificate>;
  beforeAll(() => {
    if (missing === undefined) tls = makeCertificate();
  });

  it('a client that trusts the certificate gets answers, one after the other on a connection', async (context) => {
    requires(context, missing);
    const { url } = await serve({ tls });
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const agent = new Agent({ ca: tls.cert, keepAlive: true, maxSockets: 1 });
    for (const text of ['first', 'second']) expect(await post(url, agent, text)).toMatchObject([200, { result: {} }]);
    agent.destroy();
  });

  it('a client that does not trust it cannot connect, and neither can a client of plain HTTP', async (context) => {
    requires(context, missing);
    const { url } = await serve({ tls });
    await expect(post(url, new Agent(), 'x')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const plain = connectSocket(Number(new URL(url).port), '127.0.0.1');
    plain.on('error', () => {});
    const closed = new Promise((resolve) => plain.once('close', resolve));
    plain.write('GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n');
    plain.resume();
    await withTimeout(closed, 'the end of the connection');
  });

  it.for([
    ['sends nothing', []],
    // The header of a TLS record of 512 bytes, and its first byte.
    ['stops inside its ClientHello', [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]],
  ] as const)('a client that %s is disconnected after headersMs, and 408 is logged', async ([, bytes], context) => {
    requires(context, missing);
    const refused: unknown[] = [];
    const info = (fields: object): void => void refused.push(fields);
    const logger = { debug() {}, info, warn: info, error: info };
    const served = await serve({ tls, timeouts: withFixed({}, { headersMs: 100 }), logger });
    const { socket, received } = dial(served);
    socket.write(Buffer.from(bytes));
    await received;
    await vi.waitFor(() => expect(refused).toMatchObject([{ status: 408 }]));
  });

  it('a client that sends nothing does not delay closing the server', async (context) => {
    requires(context, missing);
    const served = await serve({ tls, timeouts: withFixed({ requestMs: 600_000 }, { headersMs: 600_000 }) });
    const { socket, received } = dial(served);
    await new Promise((resolve) => socket.once('connect', resolve));
    const agent = new Agent({ ca: tls.cert });
    // Connections are accepted in order: the silent one has been accepted by now.
    await post(served.url, agent, 'x');
    await withTimeout(served.close(), 'the server to close');
    expect(await received).toBe('');
    agent.destroy();
  });

  it('an invalid key is refused with listen-failed and a hint', async () => {
    const tls = { key: 'no key', cert: 'no certificate' };
    const serving = serveHttp(createServer({ name: 'x', version: '1' }), { port: 0, tls });
    await expect(serving).rejects.toMatchObject({ code: 'listen-failed', hint: expect.stringContaining('PEM') });
  });
});

function post(url: string, agent: Agent, text: string): Promise<[number | undefined, unknown]> {
  const { headers, body } = loneCall('echo', { text });
  const answered = new Promise<[number | undefined, unknown]>((resolve, reject) => {
    const sent = { ...(headers as Record<string, string>), 'content-type': 'application/json' };
    const outgoing = request(url, { method: 'POST', agent, headers: sent }, (message) => {
      let received = '';
      message.on('data', (chunk: Buffer) => (received += chunk.toString()));
      message.on('end', () => resolve([message.statusCode, JSON.parse(received)]));
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
  return withTimeout(answered, 'the answer');
}
