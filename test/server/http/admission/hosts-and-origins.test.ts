/** Which requests are admitted: hosts, origins, verbs, media types, body sizes, invalid messages. */

import { connect as connectSocket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { admittingOwn, reachable } from '../../../../src/node/http-server/address.ts';
import { loneCall, startSession } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const validCall = () => loneCall('echo', { text: 'x' });
const withHeaders = (headers: Record<string, string | undefined>) => {
  const { headers: own, body } = validCall();
  return { headers: { ...own, ...headers }, body };
};

describe('the endpoint', () => {
  it.each([
    ['a page of another origin', 'https://evil.example'],
    ['a page with the origin null', 'null'],
    ['a header that is no origin', 'localhost'],
    ['an origin with a path', 'http://localhost/x'],
    ['a host that begins with an allowed name', 'http://localhost.evil.example'],
    ['another scheme', 'file://localhost'],
    ['two origins', 'http://localhost, https://evil.example'],
  ])(
    'rejects %s with 403 and an error without id, for every verb [s-http-02, s-http-03, s-http-04, e-http-02, e-http-03, e-http-04]',
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
      expect((await send(url, validCall())).status).toBe(200);
    },
  );

  it('admits pages of its own hosts and of allowedOrigins [e-http-02]', async () => {
    const { url } = await serve({ allowedOrigins: ['https://app.example'] });
    for (const origin of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1', 'https://app.example'])
      expect((await send(url, withHeaders({ origin }))).status).toBe(200);
  });

  it.each([
    ['a host', { host: 'app.example' }, '"app.example" is not allowed: add it to allowedHosts'],
    ['an origin', { origin: 'https://app.example' }, '"https://app.example" is not allowed: add it to allowedOrigins'],
  ])('names the option that admits %s that it rejects', async (_, headers, text) => {
    const { url } = await serve();
    const { status, json } = await send(url, withHeaders(headers));
    expect(status).toBe(403);
    expect(json).toMatchObject({ error: { message: expect.stringContaining(text) } });
  });

  it('rejects requests to other hosts with 403 (DNS rebinding)', async () => {
    const { url } = await serve();
    for (const host of ['evil.example', 'evil.example:3000', 'localhost.evil.example', 'localhost@evil.example'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 403]);
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:80'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 200]);
  });

  it('admits the hosts of allowedHosts, or all of them', async () => {
    const named = await serve({ allowedHosts: ['mcp.example'] });
    expect((await send(named.url, withHeaders({ host: 'MCP.example:443' }))).status).toBe(200);
    expect((await send(named.url, withHeaders({ host: 'localhost' }))).status).toBe(403);
    const all = await serve({ allowedHosts: '*' });
    expect((await send(all.url, withHeaders({ host: 'any.example' }))).status).toBe(200);
    expect((await send(all.url, withHeaders({ origin: 'https://any.example' }))).status).toBe(403);
  });

  it('admits requests to the address that it listens on, and returns that address in its URL', async () => {
    const other = await serve({ host: '127.0.0.2' });
    expect(new URL(other.url).hostname).toBe('127.0.0.2');
    expect((await send(other.url, validCall())).status).toBe(200);
    expect((await send(other.url, withHeaders({ host: 'localhost' }))).status).toBe(200);
    expect((await send(other.url, withHeaders({ host: '127.0.0.3' }))).status).toBe(403);
    const named = await serve({ host: '127.0.0.2', allowedHosts: ['mcp.example'] });
    expect((await send(named.url, validCall())).status).toBe(403);
  });

  it('on 0.0.0.0 has a loopback URL, and admits no other hosts', async () => {
    const { url } = await serve({ host: '0.0.0.0', unprotected: true, behindProxy: true });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await send(url, validCall())).status).toBe(200);
    for (const host of ['0.0.0.0', '192.168.1.5', 'evil.example'])
      expect([host, (await send(url, withHeaders({ host }))).status]).toEqual([host, 403]);
  });

  it('admits an IP address because it listens there, but not a host name', () => {
    expect(admittingOwn('mcp.example', {})).toEqual({});
    expect(admittingOwn('fe80::1', {})).toEqual({ allowedHosts: ['localhost', '127.0.0.1', '[::1]', '[fe80::1]'] });
    expect(['::', '0:0:0:0:0:0:0:2', 'mcp.example'].map(reachable)).toEqual(['[::1]', '[::2]', 'mcp.example']);
  });

  it('listens on the loopback address by default', async () => {
    const { url } = await serve();
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('rejects %s with 405', async (method) => {
    const { url } = await serve();
    const answer = await send(url, { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, GET, DELETE' } });
  });

  it('is served at one path', async () => {
    const { url } = await serve();
    for (const path of ['/', '/mcpx', '/mcp/'])
      expect((await send(new URL(path, url).href, validCall())).status).toBe(404);
    expect((await send(`${url}?key=1`, validCall())).status).toBe(200);
  });

  it.each([
    ['missing', undefined, 415],
    ['text', 'text/plain', 415],
    ['a form', 'application/x-www-form-urlencoded', 415],
    ['something like JSON', 'application/jsonp', 415],
    ['JSON', 'application/json', 200],
    ['JSON with a charset', 'Application/JSON; charset=utf-8', 200],
  ])('checks the media type of a body: %s (%s) gets %i', async (_name, type, status) => {
    const { url } = await serve();
    expect((await send(url, withHeaders({ 'content-type': type }))).status).toBe(status);
  });

  it.each([
    ['nothing', undefined, 200],
    ['anything', '*/*', 200],
    ['HTML', 'text/html', 406],
    ['JSON', 'application/json', 200],
    ['events', 'text/event-stream', 200],
  ])('checks the Accept header: a client that accepts %s (%s) gets %i', async (_name, accept, status) => {
    const { url } = await serve();
    expect((await send(url, withHeaders({ accept }))).status).toBe(status);
  });

  it('rejects oversized bodies with 413, with or without content-length', async () => {
    const { url } = await serve({ limits: { maxBodyBytes: 1000 } });
    const large = loneCall('echo', { text: 'x'.repeat(2000) });
    expect((await send(url, large)).status).toBe(413);
    expect((await send(url, { ...large, headers: { ...large.headers, 'transfer-encoding': 'chunked' } })).status).toBe(
      413,
    );
    expect((await send(url, validCall())).status).toBe(200);
  });

  it('accepts larger bodies if maxBodyBytes or maxMessageChars is raised', async () => {
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

  it('answers a body that is too large with 413, and the client can continue on the same connection', async () => {
    const { url } = await serve({ limits: { maxBodyBytes: 1000 } });
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
      socket.write(`${head}20000\r\n\r\n${'x'.repeat(20_000)}${head}1\r\n\r\n{`);
    });
    const statuses = [...(await withTimeout(received, 'both answers')).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
      ([, status]) => status,
    );
    expect(statuses).toEqual(['413', '400']);
  });

  it.each([
    ['invalid JSON', '{', -32700],
    ['an empty body', '', -32700],
    ['a string', '"x"', -32600],
    ['null', 'null', -32600],
    ['an empty batch', '[]', -32600],
    ['an empty object', '{}', -32600],
    ['a request of another JSON-RPC version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['an invalid id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    [
      'a message that is nested too deeply',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
      -32600,
    ],
  ])('answers %s with 400', async (_name, body, code) => {
    const { url } = await serve();
    expect(await send(url, { body })).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code } } });
  });

  it('answers a body that is not UTF-8 with 400 [e-transport-01]', async () => {
    const { url } = await serve();
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(answer.status).toBe(400);
  });

  it('lets pages read responses only if their origin is allowed', async () => {
    const origin = 'https://app.example';
    const { url } = await serve({ allowedOrigins: [origin] });
    const preflightHeaders = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-method, mcp-param-tenant, x-evil',
    };
    const preflight = await send(url, { method: 'OPTIONS', headers: { origin, ...preflightHeaders } });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    const allowed = String(preflight.headers['access-control-allow-headers']);
    for (const name of ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-param-tenant', 'last-event-id'])
      expect(allowed).toContain(name);
    expect(allowed).not.toContain('x-evil');
    const answer = await send(url, withHeaders({ origin }));
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
    expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id');
    expect((await send(url, validCall())).headers).not.toHaveProperty('access-control-allow-origin');
    expect(
      (await send(url, { method: 'OPTIONS', headers: { origin: 'https://evil.example', ...preflightHeaders } })).status,
    ).toBe(403);
  });
});
