/** Who is let in at all: hosts, origins, verbs, media types, sizes, and what is no message. */

import { connect as connectSocket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { admittingOwn, reachable } from '../../../../src/node/http-server/address.ts';
import { loneCall, startSession } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const right = () => loneCall('echo', { text: 'x' });
const withHeaders = (headers: Record<string, string | undefined>) => {
  const { headers: own, body } = right();
  return { headers: { ...own, ...headers }, body };
};

describe('the endpoint', () => {
  it.each([
    ['a page of elsewhere', 'https://evil.example'],
    ['a page without an origin', 'null'],
    ['what is no origin', 'localhost'],
    ['an origin with a path', 'http://localhost/x'],
    ['a name that begins alike', 'http://localhost.evil.example'],
    ['another scheme', 'file://localhost'],
    ['two origins', 'http://localhost, https://evil.example'],
  ])(
    'refuses %s with 403 and an error without id, whatever the verb [s-http-02, s-http-03, s-http-04, e-http-02, e-http-03, e-http-04]',
    async (_name, origin) => {
      const { url } = await serve();
      const { id } = await startSession(url, '2025-11-25');
      const session = { 'mcp-session-id': id, accept: 'text/event-stream', origin };
      for (const sent of [
        withHeaders({ origin }),
        { method: 'GET', headers: session },
        { method: 'DELETE', headers: session },
      ]) {
        const answer = await send(url, sent);
        expect(answer.status).toBe(403);
        expect(answer.json).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
      }
      expect((await send(url, right())).status).toBe(200);
    },
  );

  it('admits pages of its own hosts, and those it is told of [e-http-02]', async () => {
    const { url } = await serve({ allowedOrigins: ['https://app.example'] });
    for (const origin of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1', 'https://app.example'])
      expect((await send(url, withHeaders({ origin }))).status).toBe(200);
  });

  it.each([
    ['a host', { host: 'app.example' }, '"app.example" is not allowed: add it to allowedHosts'],
    ['an origin', { origin: 'https://app.example' }, '"https://app.example" is not allowed: add it to allowedOrigins'],
  ])('says which option admits %s that it refuses', async (_, headers, text) => {
    const { url } = await serve();
    const { status, json } = await send(url, withHeaders(headers));
    expect(status).toBe(403);
    expect(json).toMatchObject({ error: { message: expect.stringContaining(text) } });
  });

  it('refuses requests sent to other hosts with 403: names can be made to point here', async () => {
    const { url } = await serve();
    for (const host of ['evil.example', 'evil.example:3000', 'localhost.evil.example', 'localhost@evil.example'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 403]);
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:80'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 200]);
  });

  it('admits the hosts it is told of, or all', async () => {
    const named = await serve({ allowedHosts: ['mcp.example'] });
    expect((await send(named.url, withHeaders({ host: 'MCP.example:443' }))).status).toBe(200);
    expect((await send(named.url, withHeaders({ host: 'localhost' }))).status).toBe(403);
    const all = await serve({ allowedHosts: '*' });
    expect((await send(all.url, withHeaders({ host: 'any.example' }))).status).toBe(200);
    expect((await send(all.url, withHeaders({ origin: 'https://any.example' }))).status).toBe(403);
  });

  it('admits requests sent to the number it listens at, and its own url says where it can be reached', async () => {
    const other = await serve({ host: '127.0.0.2' });
    expect(new URL(other.url).hostname).toBe('127.0.0.2');
    expect((await send(other.url, right())).status).toBe(200);
    expect((await send(other.url, withHeaders({ host: 'localhost' }))).status).toBe(200);
    expect((await send(other.url, withHeaders({ host: '127.0.0.3' }))).status).toBe(403);
    const named = await serve({ host: '127.0.0.2', allowedHosts: ['mcp.example'] });
    expect((await send(named.url, right())).status).toBe(403);
  });

  it('that listens everywhere is reached by loopback, and admits nothing more for it', async () => {
    const { url } = await serve({ host: '0.0.0.0' });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await send(url, right())).status).toBe(200);
    for (const host of ['0.0.0.0', '192.168.1.5', 'evil.example'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 403]);
  });

  it('admits no name for listening at it', () => {
    expect(admittingOwn('mcp.example', {})).toEqual({});
    expect(admittingOwn('fe80::1', {})).toEqual({ allowedHosts: ['localhost', '127.0.0.1', '[::1]', '[fe80::1]'] });
    expect(['::', '0:0:0:0:0:0:0:2', 'mcp.example'].map(reachable)).toEqual(['[::1]', '[::2]', 'mcp.example']);
  });

  it('listens where only this machine can reach it', async () => {
    const { url } = await serve();
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('has no %s', async (method) => {
    const { url } = await serve();
    const answer = await send(url, { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, GET, DELETE' } });
  });

  it('is at one path', async () => {
    const { url } = await serve();
    for (const path of ['/', '/mcpx', '/mcp/']) expect((await send(new URL(path, url).href, right())).status).toBe(404);
    expect((await send(`${url}?key=1`, right())).status).toBe(200);
  });

  it.each([
    ['none', undefined, 415],
    ['text', 'text/plain', 415],
    ['a form', 'application/x-www-form-urlencoded', 415],
    ['something like JSON', 'application/jsonp', 415],
    ['JSON', 'application/json', 200],
    ['JSON that says how it is written', 'Application/JSON; charset=utf-8', 200],
  ])('judges a body whose type is %s with %s: %i', async (_name, type, status) => {
    const { url } = await serve();
    expect((await send(url, withHeaders({ 'content-type': type }))).status).toBe(status);
  });

  it.each([
    ['none', undefined, 200],
    ['anything', '*/*', 200],
    ['pages', 'text/html', 406],
    ['JSON', 'application/json', 200],
    ['events', 'text/event-stream', 200],
  ])('judges a client that takes %s by %s: %i', async (_name, accept, status) => {
    const { url } = await serve();
    expect((await send(url, withHeaders({ accept }))).status).toBe(status);
  });

  it('refuses bodies that are too large with 413, announced or not', async () => {
    const { url } = await serve({ limits: { maxBodyBytes: 1000 } });
    const large = loneCall('echo', { text: 'x'.repeat(2000) });
    expect((await send(url, large)).status).toBe(413);
    expect((await send(url, { ...large, headers: { ...large.headers, 'transfer-encoding': 'chunked' } })).status).toBe(
      413,
    );
    expect((await send(url, right())).status).toBe(200);
  });

  it('takes larger bodies where one limit is raised, by whichever name', async () => {
    const large = loneCall('echo', { text: 'x'.repeat(6_000_000) });
    for (const raised of [{ maxBodyBytes: 16 * 1024 * 1024 }, { maxMessageChars: 16 * 1024 * 1024 }]) {
      const { url } = await serve({ limits: raised });
      expect((await send(url, large)).status).toBe(200);
    }
    const both = await serve({ limits: { maxBodyBytes: 16 * 1024 * 1024, maxMessageChars: 1000 } });
    expect((await send(both.url, loneCall('echo', { text: 'x'.repeat(2000) }))).status).toBe(400);
    const lowered = await serve({ limits: { maxMessageChars: 1000 } });
    expect((await send(lowered.url, loneCall('echo', { text: 'x'.repeat(2000) }))).status).toBe(400);
  });

  it('says 413 to a sender of 50 MB, who hears it and goes on by the same connection', async () => {
    const { url } = await serve();
    const { port } = new URL(url);
    const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ';
    const received = new Promise<string>((resolve) => {
      const socket = connectSocket(Number(port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.split('HTTP/1.1').length === 3) socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
      socket.write(`${head}50000000\r\n\r\n`);
      const piece = Buffer.alloc(1_000_000, 'x');
      for (let n = 0; n < 50; n++) socket.write(piece);
      socket.write(`${head}1\r\n\r\n{`);
    });
    const statuses = [...(await withTimeout(received, 'both answers')).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
      ([, status]) => status,
    );
    expect(statuses).toEqual(['413', '400']);
  });

  it.each([
    ['no JSON', '{', -32700],
    ['nothing', '', -32700],
    ['a text', '"x"', -32600],
    ['null', 'null', -32600],
    ['an empty list', '[]', -32600],
    ['no message', '{}', -32600],
    ['a request of another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    [
      'what is too deep',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
      -32600,
    ],
  ])('answers %s with 400', async (_name, body, code) => {
    const { url } = await serve();
    expect(await send(url, { body })).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code } } });
  });

  it('answers a body that is no UTF-8 with 400 [e-transport-01]', async () => {
    const { url } = await serve();
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(answer.status).toBe(400);
  });

  it('lets pages read the answers only where it is told to', async () => {
    const origin = 'https://app.example';
    const { url } = await serve({ allowedOrigins: [origin] });
    const requested = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-method, mcp-param-tenant, x-evil',
    };
    const preflight = await send(url, { method: 'OPTIONS', headers: { origin, ...requested } });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    const allowed = String(preflight.headers['access-control-allow-headers']);
    for (const name of ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-param-tenant', 'last-event-id'])
      expect(allowed).toContain(name);
    expect(allowed).not.toContain('x-evil');
    const answer = await send(url, withHeaders({ origin }));
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
    expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id');
    expect((await send(url, right())).headers).not.toHaveProperty('access-control-allow-origin');
    expect(
      (await send(url, { method: 'OPTIONS', headers: { origin: 'https://evil.example', ...requested } })).status,
    ).toBe(403);
  });
});
