/** Broken setups: each fails with a code, the URL and a hint, and without a handshake at a guessed revision. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createClient } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { alone, answer, type Received, refuse, scripted, stream } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { failureOf, listening } from './broken-targets.ts';
import { expiredCertificate, foreignCertificate, ownCertificate } from './fixtures/certificates.ts';

const hostNotAllowed = 'The host "mcp.example" is not allowed: add it to allowedHosts of the server';
const page = '<!DOCTYPE html><html><body>Welcome</body></html>';
const html = ({ response }: Received, status = 200): unknown =>
  response.writeHead(status, { 'content-type': 'text/html' }).end(page);

interface Row {
  readonly name: string;
  readonly script: (received: Received) => unknown;
  readonly code: string;
  readonly details?: object;
  readonly message: RegExp;
  /** The number of requests that the client sent. */
  readonly requests: number;
}

const rows: Row[] = [
  {
    name: 'that requires a token',
    script: ({ response }) => refuse(response, 401, undefined, { 'www-authenticate': 'Bearer resource_metadata="x"' }),
    code: 'unauthorized',
    details: { status: 401, wwwAuthenticate: 'Bearer resource_metadata="x"' },
    message: /authorization/,
    requests: 1,
  },
  {
    name: 'that requires a token and sends a JSON-RPC error',
    script: ({ response }) => refuse(response, 401, { code: -32000, message: 'Unauthorized' }),
    code: 'unauthorized',
    message: /authorization/,
    requests: 1,
  },
  {
    name: 'that answers with an empty body',
    script: ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
    code: 'invalid-result',
    details: { method: 'initialize', body: '' },
    message: /The body is empty.*Check the path/,
    requests: 2,
  },
  {
    name: 'that answers with a body that is not JSON',
    script: ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('ok then'),
    code: 'invalid-result',
    details: { method: 'initialize', body: 'ok then' },
    message: /to initialize contains no answer.*ok then.*Check the path/,
    requests: 2,
  },
  {
    name: 'that answers 204',
    script: ({ response }) => response.writeHead(204).end(),
    code: 'connection-closed',
    details: { method: 'initialize' },
    message: /answered initialize with an empty response.*Check the path/,
    requests: 2,
  },
  {
    name: 'that answers 403',
    script: ({ response }) => refuse(response, 403),
    code: 'forbidden',
    message: /scopes/,
    requests: 1,
  },
  {
    name: 'that names the scopes which a token needs',
    script: ({ response }) =>
      refuse(response, 403, undefined, {
        'www-authenticate': 'Bearer error="insufficient_scope", scope="files:read files:write"',
      }),
    code: 'forbidden',
    details: { status: 403 },
    message: /needs a token with the scopes files:read files:write \(403\)\. Get a token/,
    requests: 1,
  },
  {
    name: 'that does not allow the host, and names the option',
    script: ({ response }) => refuse(response, 403, { code: -32600, message: hostNotAllowed }),
    code: 'forbidden',
    details: { status: 403 },
    message: /The host "mcp.example" is not allowed: add it to allowedHosts of the server \(403\)\.(?!.*scopes)/,
    requests: 1,
  },
  {
    name: 'that answers 500',
    script: ({ response }) => refuse(response, 500, { code: -32603, message: 'Internal server error' }),
    code: 'server-unavailable',
    details: { status: 500 },
    message: /log of the server/,
    requests: 1,
  },
  {
    name: 'that is busy, and sends Retry-After',
    script: ({ response }) => refuse(response, 503, undefined, { 'retry-after': '7' }),
    code: 'server-unavailable',
    details: { status: 503, retryAfterMs: 7000 },
    message: /later/,
    requests: 1,
  },
  {
    name: 'that limits the rate',
    script: ({ response }) => refuse(response, 429, undefined, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    code: 'server-unavailable',
    details: { status: 429, retryAfterMs: 0 },
    message: /Wait/,
    requests: 1,
  },
  {
    name: 'that has nothing at the path',
    script: (one) => html(one, 404),
    code: 'endpoint-not-found',
    details: { status: 404 },
    message: /\/mcp serves nothing.*\/sse/s,
    requests: 3,
  },
  {
    name: 'that takes no POST',
    script: ({ response }) => refuse(response, 405),
    code: 'http-error',
    details: { status: 405 },
    message: /no POST/,
    requests: 3,
  },
  {
    name: 'that is a web site',
    script: (one) => html(one),
    code: 'unexpected-content',
    details: { contentType: 'text/html', body: page },
    message: /web page/,
    requests: 1,
  },
  {
    name: 'that answers in plain text',
    script: ({ response }) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
    code: 'unexpected-content',
    details: { contentType: 'text/plain' },
    message: /text\/plain/,
    requests: 1,
  },
  {
    name: 'that has moved to another origin',
    script: ({ response }) => refuse(response, 308, undefined, { location: 'https://elsewhere.example/mcp' }),
    code: 'redirect-not-followed',
    details: { location: 'https://elsewhere.example/mcp' },
    message: /elsewhere.example/,
    requests: 1,
  },
  {
    name: 'that redirects to itself',
    script: ({ response }) => refuse(response, 307, undefined, { location: '/mcp' }),
    code: 'redirect-not-followed',
    message: /redirects to another address/,
    requests: 4,
  },
  {
    name: 'that redirects to a login page',
    script: ({ response }) => refuse(response, 302, undefined, { location: '/login' }),
    code: 'redirect-not-followed',
    details: { location: '/login' },
    message: /login/,
    requests: 1,
  },
  {
    name: 'that disconnects during a response',
    script: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"jsonrpc"');
      setImmediate(() => response.destroy());
    },
    code: 'connection-closed',
    message: /before its response was complete.*https instead of http/s,
    requests: 2,
  },
  {
    name: 'that answers a request with 202',
    script: ({ response }) => response.writeHead(202).end(),
    code: 'connection-closed',
    message: /answered initialize with an empty response/,
    requests: 2,
  },
];

describe('a server', () => {
  it.each(rows)('$name fails with $code and a hint', async ({ script, code, details = {}, message, requests }) => {
    const server = await scripted(script);
    const error = await failureOf(server.url);
    expect(error).toMatchObject({ code, hint: expect.any(String), details: { url: server.url, ...details } });
    expect(error.message).toMatch(message);
    expect(server.received).toHaveLength(requests);
  });

  it('that supports only another revision fails with protocol-version-mismatch', async () => {
    const server = await scripted(
      ({ message, response }) =>
        message.method === 'server/discover' &&
        refuse(response, 400, {
          code: -32022,
          message: 'Unsupported',
          data: { supported: ['2099-01-01'], requested: alone },
        }),
    );
    expect(await failureOf(server.url)).toMatchObject({
      code: 'protocol-version-mismatch',
      message: expect.stringContaining(`Cannot connect to ${server.url}: `),
      details: { offered: ['2099-01-01'], url: server.url },
    });
  });

  it('that answers a call with a body that is not JSON fails the call with invalid-result', async () => {
    const server = await scripted(({ message, response }) => {
      if (message.method !== 'tools/call') return false;
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{oops');
    });
    const client = await connect(server.url, { protocolVersions: [alone], reconnect: false });
    onTestFinished(() => client.close());
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'invalid-result' });
  });

  it('that never answers fails after timeoutMs', async () => {
    const clock = createFakeClock();
    const server = await scripted(() => {});
    const failure = failureOf(server.url, {
      protocolVersions: [alone],
      timeoutMs: 5000,
      ...withClock(clock),
    });
    const { closed } = await server.until(() => true);
    clock.advance(5000);
    expect(await failure).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining(`${server.url} did not answer`),
      hint: expect.stringMatching(/host and port/),
      details: { url: server.url },
    });
    await withTimeout(closed, 'the client to disconnect');
  });
});

it('a server that answers 401 to a request with a token is said to refuse the token', async () => {
  const server = await scripted(({ response }) => refuse(response, 401, undefined, {}));
  const error = await failureOf({ url: server.url, headers: { authorization: 'Bearer expired' } });
  expect(error).toMatchObject({ code: 'unauthorized', details: { status: 401 } });
  expect(error.message).toContain(`${server.url} refused the token (401). Check that headers.authorization`);
  expect(error.message).not.toContain('Pass a token');
});

describe('a URL', () => {
  it('of an unknown host fails with host-not-found', async () => {
    const error = await failureOf('http://nowhere.invalid/mcp');
    expect(error).toMatchObject({ code: 'host-not-found', details: { url: 'http://nowhere.invalid/mcp' } });
    expect(error.message).toMatch(/spelling/);
  });

  it('of a closed port fails with connection-refused', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const error = await failureOf(`http://127.0.0.1:${port}/mcp`);
    expect(error).toMatchObject({ code: 'connection-refused', details: { problem: 'ECONNREFUSED' } });
    expect(error.message).toMatch(/Start the server/);
  });

  it('of a closed port fails every call of createClient with reconnect: false, as connect fails', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const client = createClient(`http://127.0.0.1:${port}/mcp`, { reconnect: false });
    onTestFinished(() => client.close());
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'connection-refused' });
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'connection-refused' });
  });

  it('whose server cuts connections fails with a hint', async () => {
    const port = await listening(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    const error = await failureOf(`http://127.0.0.1:${port}/mcp`);
    expect(error).toMatchObject({ code: 'connection-closed', hint: expect.stringMatching(/https instead of http/) });
  });

  it('whose server cuts TLS connections fails without a hint at https', async () => {
    const port = await listening(createTcpServer((socket) => socket.once('data', () => socket.end())));
    const error = await failureOf(`https://127.0.0.1:${port}/mcp`);
    expect(error.message).toMatch(/http instead of https/);
    expect(error.message).not.toMatch(/https instead of http/);
  });

  it.each(['http://%ZZ:p@127.0.0.1:1/mcp', 'http://u:%E2%82@127.0.0.1:1/mcp'])(
    'with a user name that cannot be decoded is rejected: %s',
    async (url) => {
      await expect(connect(url)).rejects.toMatchObject({
        code: 'invalid-argument',
        hint: expect.stringMatching(/encodeURIComponent/),
      });
    },
  );

  it('may have a user name in any characters', async () => {
    const server = await scripted();
    const client = await connect(server.url.replace('http://', 'http://u:%E2%82%AC@'));
    await client.close();
    const sent = String(server.received[0]?.headers.authorization).replace('Basic ', '');
    expect(Buffer.from(sent, 'base64').toString()).toBe('u:€');
  });

  it('whose server does not speak HTTP fails with unexpected-content', async () => {
    const port = await listening(
      createTcpServer((socket) => socket.once('data', () => socket.end('220 mail.example ESMTP\r\n'))),
    );
    expect(await failureOf(`http://127.0.0.1:${port}/mcp`)).toMatchObject({
      code: 'unexpected-content',
      hint: expect.stringMatching(/https/),
    });
  });
});

describe('TLS', () => {
  const serving = async (certificate: { key: string; cert: string }): Promise<string> => {
    const server = createTlsServer(certificate, (request, response) => {
      request.resume();
      answer(response, 1, {
        supportedVersions: [alone],
        capabilities: {},
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      });
    });
    return `https://localhost:${await listening(server, 'localhost')}/mcp`;
  };

  it('with a self-signed certificate fails, unless the certificate is trusted', async () => {
    const url = await serving(ownCertificate);
    const error = await failureOf(url);
    expect(error).toMatchObject({ code: 'tls-failed', details: { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
    expect(error.message).toMatch(/NODE_EXTRA_CA_CERTS/);
    const client = await connect({ url, ca: ownCertificate.cert }, { protocolVersions: [alone] });
    expect(client.protocolVersion).toBe(alone);
    await client.close();
  });

  it('trusts NODE_EXTRA_CA_CERTS even if ca names other certificates', async () => {
    const url = await serving(ownCertificate);
    const folder = mkdtempSync(join(tmpdir(), 'tenon-ca-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'own.pem');
    writeFileSync(file, ownCertificate.cert);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const client = await connect({ url, ca: foreignCertificate.cert }, { protocolVersions: [alone] });
    expect(client.protocolVersion).toBe(alone);
    await client.close();
  });

  it('is not started if ca is not a certificate', async () => {
    const error = await failureOf({ url: 'https://127.0.0.1:1/mcp', ca: 'own.pem' });
    expect(error).toMatchObject({ code: 'invalid-argument', hint: expect.stringMatching(/BEGIN CERTIFICATE/) });
  });

  it('with an expired certificate fails', async () => {
    const url = await serving(expiredCertificate);
    const error = await failureOf({ url, ca: expiredCertificate.cert });
    expect(error).toMatchObject({ code: 'tls-failed', details: { problem: 'CERT_HAS_EXPIRED' } });
    expect(error.message).toMatch(/clock/);
  });

  it('with the certificate of another host fails', async () => {
    const url = await serving(foreignCertificate);
    const error = await failureOf({ url, ca: foreignCertificate.cert });
    expect(error).toMatchObject({ code: 'tls-failed', details: { problem: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('with a server without TLS fails', async () => {
    const server = await scripted();
    expect(await failureOf(server.url.replace('http:', 'https:'))).toMatchObject({
      code: 'tls-failed',
      hint: expect.stringMatching(/http instead of https/),
    });
  });
});

describe('a server that redirects to another of its paths', () => {
  it('is followed there, and gets later requests there', async () => {
    const server = await scripted(({ path, response }) =>
      path === '/mcp' ? refuse(response, 307, undefined, { location: '/mcp/' }) : false,
    );
    const client = await connect({ url: server.url, headers: { authorization: 'Bearer t' } });
    onTestFinished(() => client.close());
    await client.tools.call('look');
    expect(server.received.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer t');
  });
});

describe('HTTP+SSE', () => {
  it('is not followed to another origin', async () => {
    const server = await scripted((received) =>
      received.method === 'GET'
        ? stream(received.response, 'event: endpoint\ndata: http://elsewhere.example/messages\n\n')
        : html(received, 404),
    );
    expect(await failureOf(server.url)).toMatchObject({
      code: 'redirect-not-followed',
      details: { endpoint: 'http://elsewhere.example/messages' },
    });
  });
});
