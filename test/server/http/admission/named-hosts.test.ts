/** Hosts that a request names outside its Host header: in `:authority` of HTTP/2, or in an absolute-form target. */

import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { dial, written } from '../../../kit/http/raw-socket.ts';
import { type Served, sampleServer, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const closing = new Set<() => void>();
afterEach(() => {
  for (const close of closing) close();
  closing.clear();
});

const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('over HTTP/2', () => {
  async function posted(fields: Record<string, string>): Promise<[unknown, string]> {
    const handler = toNodeHandler(sampleServer().server);
    const listener = createHttp2Server((request, response) => handler(request as never, response as never));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const client = connectHttp2(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
    closing.add(() => {
      client.destroy();
      listener.close();
    });
    const { headers, body } = loneCall('echo', { text: 'two' });
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...types, ...headers, ...fields });
    const answered = new Promise<[unknown, string]>((resolve, reject) => {
      let status: number | undefined;
      let text = '';
      stream.on('response', ({ ':status': given }) => (status = given));
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => resolve([status, text]));
      stream.on('error', reject);
    });
    stream.end(JSON.stringify(body));
    return withTimeout(answered, 'the answer');
  }

  it.each([
    ['an allowed host', {}, 200],
    ['localhost', { ':authority': 'localhost:3000' }, 200],
    ['another host', { ':authority': 'evil.example' }, 403],
    ['another host in the Host header only', { host: 'evil.example' }, 403],
    ['two hosts, the Host header allowed', { ':authority': 'evil.example', host: 'localhost' }, 400],
    ['two hosts, :authority allowed', { ':authority': 'localhost', host: 'evil.example' }, 400],
    ['the same host twice', { ':authority': 'localhost', host: 'localhost' }, 200],
    ['the same host in another case', { ':authority': 'localhost', host: 'LOCALHOST' }, 200],
    ['the same host with the default port', { ':authority': 'localhost:80', host: 'Localhost' }, 200],
    [
      'the same host with the default port of HTTPS',
      { ':scheme': 'https', ':authority': '[::1]', host: '[::1]:443' },
      200,
    ],
    ['the same host with another port', { ':authority': 'localhost', host: 'localhost:8080' }, 400],
    ['the same host with the port of another scheme', { ':authority': 'localhost', host: 'localhost:443' }, 400],
  ])('a request that names %s (%j) gets %i', async (_which, fields, status) => {
    const [received, text] = await posted(fields);
    expect([received, text]).toEqual([status, expect.stringMatching(status === 200 ? /two/ : /error/)]);
  });
});

describe('a request target in absolute form', () => {
  const { headers, body } = loneCall('echo', { text: 'whole' });

  async function answered(served: Served, target: string, more: Record<string, string> = {}): Promise<string> {
    const { socket, received } = dial(served);
    socket.write(written({ headers: { ...headers, ...more, connection: 'close' }, body }, target));
    return received;
  }

  it.each(['http://localhost/mcp', 'HTTP://LOCALHOST:80/mcp', 'https://127.0.0.1/mcp?key=1', 'http://[::1]:1/mcp'])(
    'is served by its path: %s (RFC 9112, 3.2.2)',
    async (target) => {
      expect(await answered(await serve(), target)).toMatch(/^HTTP\/1\.1 200 [^]*whole/);
    },
  );

  it.each([
    ['with another host', 'http://evil.example/mcp', {}, 403],
    ['with userinfo and another host', 'http://localhost@evil.example/mcp', {}, 403],
    ['without a host', 'http:///mcp', {}, 403],
    ['with another host in the Host header, which is ignored,', 'http://localhost/mcp', { host: 'evil.example' }, 200],
    ['with two Host headers', 'http://localhost/mcp', { host: 'localhost', Host: 'localhost' }, 400],
    ['with another path', 'http://localhost/other', {}, 404],
    ['without a path', 'http://localhost', {}, 404],
    ['without a path, with a query', 'http://localhost?x=/mcp', {}, 404],
    ['with another scheme', 'ftp://localhost/mcp', {}, 404],
  ])('%s is checked by the host of the target: %s %j gets %i', async (_which, target, more, status) => {
    const served = await serve();
    expect(await answered(served, target, more as Record<string, string>)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} `),
    );
    expect((await send(served.url, { headers, body })).status).toBe(200);
  });

  it('reaches HTTP+SSE as well, under the same check', async () => {
    const served = await serve();
    const own = dial(served);
    own.socket.write(written({ method: 'GET' }, 'http://localhost/sse'));
    await own.until(/data: \/messages\?session=\S+\n/);
    const foreign = dial(served);
    foreign.socket.write(written({ method: 'GET' }, 'http://evil.example/sse'));
    await foreign.until(/^HTTP\/1\.1 \d/);
    expect(foreign.text()).toMatch(/^HTTP\/1\.1 403 /);
  });
});
