/** Proxies from environment variables: the requests they get, and the errors when they fail. */
import { createServer as createHttpServer, type IncomingMessage, request as requestHttp } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { connect } from 'tenon';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alone, answer, discovery, scripted } from '../../kit/http/scripted-server.ts';
import { failureOf, listening } from './broken-targets.ts';
import { ownCertificate } from './fixtures/certificates.ts';

describe('a proxy from the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is used, and a refusal fails with proxy-error', async () => {
    const seen: string[] = [];
    const port = await listening(
      createTcpServer((socket) => {
        socket.once('data', (data) => {
          seen.push(String(data).split('\r\n')[0] ?? '');
          socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
        });
        socket.on('error', () => {});
      }),
    );
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`);
    const error = await failureOf('https://server.example/mcp');
    expect(seen).toEqual(['CONNECT server.example:443 HTTP/1.1']);
    expect(error).toMatchObject({ code: 'proxy-error', hint: expect.stringMatching(/HTTPS_PROXY/) });
  });

  it('that is unreachable is named in the error, not the server', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`);
    const error = await failureOf('http://server.example/mcp');
    expect(error).toMatchObject({ code: 'proxy-error', hint: expect.stringMatching(/HTTP_PROXY/) });
    expect(error.details.problem).toContain(`http://127.0.0.1:${port}`);
  });

  it('that is not a URL is rejected with the name of its variable', async () => {
    vi.stubEnv('HTTP_PROXY', 'not a url');
    const error = await failureOf('http://server.example/mcp');
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(/^HTTP_PROXY/) });
  });

  it('that opens no tunnels carries a whole connection to an http URL', async () => {
    const server = await scripted();
    const seen: string[] = [];
    const proxy = createHttpServer((incoming, outgoing) => {
      const { pathname, port, host } = new URL(incoming.url ?? '');
      seen.push(`${host} ${incoming.headers.host}`);
      const { method, headers } = incoming;
      const there = requestHttp({ host: '127.0.0.1', port, path: pathname, method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(there);
    });
    proxy.on('connect', (_: IncomingMessage, socket: Socket) => {
      seen.push('CONNECT');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${await listening(proxy)}`);
    const client = await connect(server.url.replace('127.0.0.1', 'server.example'));
    expect(client.protocolVersion).toBe(alone);
    await client.close();
    const host = `server.example:${new URL(server.url).port}`;
    expect(new Set(seen)).toEqual(new Set([`${host} ${host}`]));
  });

  it('is bypassed for hosts in NO_PROXY', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    const server = await scripted();
    const client = await connect(server.url);
    expect(client.protocolVersion).toBe(alone);
    await client.close();
  });

  it('carries https through a tunnel, and the certificate of the server is verified against `ca`', async () => {
    const server = createTlsServer(ownCertificate, (request, response) => {
      request.resume();
      answer(response, 1, discovery);
    });
    const seen: string[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
      seen.push(url);
      const there = connectTcp(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        there.pipe(socket).pipe(there);
      });
      for (const one of [there, socket]) one.on('error', () => {});
    });
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listening(proxy)}`);
    const host = `localhost:${await listening(server)}`;
    const client = await connect(
      { url: `https://${host}/mcp`, ca: ownCertificate.cert },
      { protocolVersions: [alone] },
    );
    expect(client.protocolVersion).toBe(alone);
    await client.close();
    expect(new Set(seen)).toEqual(new Set([host]));
  });
});
