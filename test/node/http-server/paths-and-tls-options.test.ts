/** Paths, `content-length` and `tls` options of `serveHttp`, and the clean-up after a failed start. */
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createListener } from 'node:net';
import { serveHttp } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { loneCall, startSession } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';

it('a 204 response has no content-length (RFC 9110, 8.6)', async () => {
  const served = await serve();
  const { headers } = await startSession(served.url, '2025-11-25');
  const { socket, received } = dial(served);
  socket.write(written({ method: 'DELETE', headers: { ...headers, connection: 'close' } }));
  const text = await received;
  expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
  expect(text).not.toMatch(/content-length|transfer-encoding/i);
});

describe('a server', () => {
  it.each([
    ['/', '/events'],
    ['/mcp/', '/mcp/events'],
  ])('at %s serves clients of the founding documents at %s', async (path, events) => {
    const { url } = await serve({ path });
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
    const listening = { method: 'GET', headers: { accept: 'text/event-stream' } };
    const stream = await open(new URL(events, url).href, listening);
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    stream.cut();
  });

  it.each([
    ['tls', {}],
    ['tls', []],
    ['tls', { key: 'a key' }],
    ['tls', { cert: 'a certificate' }],
    ['tls', { key: '', cert: '' }],
    ['tls', { pskCallback: () => null }],
    ['legacySse', { stream: '/mcp', messages: '/mcp' }],
    ['legacySse', { stream: '/sse', messages: '/mcp' }],
    ['legacySse', { stream: '/mcp/events', messages: '/messages' }],
  ])('whose %s is %j is refused with a hint', async (name, value) => {
    const serving = serveHttp(sampleServer().server, { port: 0, [name]: value });
    await expect(serving).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`${name} `),
      hint: expect.stringMatching(name === 'tls' ? /key and cert/ : /paths of its own/),
    });
  });
});

describe('the default paths of HTTP+SSE', () => {
  it.each(['/sse', '/messages'])('are refused for the endpoint, with a hint: %s', async (path) => {
    await expect(serveHttp(sampleServer().server, { port: 0, path })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('path '),
      hint: expect.stringMatching(/differ from the paths of HTTP\+SSE: choose another, or set legacySse/),
    });
  });

  it.each([false, { stream: '/old', messages: '/old/messages' }] as const)(
    'are free for the endpoint if legacySse is %j',
    async (sse) => {
      for (const path of ['/sse', '/messages']) {
        const { url } = await serve({ path, legacySse: sse });
        expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
      }
    },
  );
});

it('HTTPS is served with a pre-shared key, without a certificate', async () => {
  const psk = Buffer.from('shared beforehand');
  const ciphers = 'PSK+AES256';
  const { url } = await serve({ tls: { ciphers, maxVersion: 'TLSv1.2', pskCallback: () => psk } });
  const { headers, body } = loneCall('echo', { text: 'shared' });
  const pskCallback = () => ({ psk, identity: 'ada' });
  const secure = { ciphers, maxVersion: 'TLSv1.2', pskCallback, checkServerIdentity: () => undefined } as const;
  const status = new Promise((resolve, reject) => {
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const outgoing = request(url, { method: 'POST', headers: { ...types, ...headers }, ...secure }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(body));
  });
  expect(await status).toBe(200);
});

const secrets = ['a secret of these tests only'];

describe('a service that fails to start', () => {
  /** A store that counts its subscriptions. */
  function countedStore() {
    const { sessions, events, bus } = createMemoryStore();
    const subscriptions = { now: 0, ever: 0 };
    const subscribe: typeof bus.subscribe = async (...given) => {
      const stop = await bus.subscribe(...given);
      subscriptions.now++;
      subscriptions.ever++;
      return () => {
        subscriptions.now--;
        return stop();
      };
    };
    return { subscriptions, store: { sessions, events, bus: { ...bus, publish: bus.publish.bind(bus), subscribe } } };
  }

  it('because its port is taken leaves no subscription to its store', async () => {
    const other = createListener();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { subscriptions, store } = countedStore();
    await expect(serveHttp(sampleServer({ secrets }).server, { port, store })).rejects.toMatchObject({
      code: 'listen-failed',
    });
    await new Promise((resolve) => setImmediate(resolve));
    other.close();
    expect(subscriptions).toEqual({ now: 0, ever: expect.any(Number) });
    expect(subscriptions.ever).toBeGreaterThan(0);
  });

  it('because its certificate is invalid leaves no subscription either', async () => {
    const { subscriptions, store } = countedStore();
    const tls = { key: 'no key', cert: 'no certificate' };
    await expect(serveHttp(sampleServer({ secrets }).server, { port: 0, tls, store })).rejects.toMatchObject({
      code: 'listen-failed',
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(subscriptions.now).toBe(0);
  });
});
