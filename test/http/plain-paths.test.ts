/** Paths and lengths as RFCs have them, and what is left of a service that could not be. */
import type { AddressInfo } from 'node:net';
import { createServer as createListener } from 'node:net';
import { serveHttp } from 'tenon';
import { memoryStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { open, send } from './raw-http.ts';
import { dial, written } from './raw-socket.ts';
import { sampleServer, serve } from './served.ts';
import { loneCall, startSession } from './talk.ts';

it('an answer of 204 says nothing of a length (RFC 9110, 8.6)', async () => {
  const served = await serve();
  const { headers } = await startSession(served.url, '2025-11-25');
  const { socket, heard } = dial(served);
  socket.write(written({ method: 'DELETE', headers: { ...headers, connection: 'close' } }));
  const text = await heard;
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
    ['sse', { stream: '/mcp', messages: '/mcp' }],
    ['sse', { stream: '/sse', messages: '/mcp' }],
    ['sse', { stream: '/mcp/events', messages: '/messages' }],
  ])('whose %s is %j is refused with what to mend', async (name, value) => {
    const serving = serveHttp(sampleServer().server, { port: 0, [name]: value });
    await expect(serving).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`${name} `),
      hint: expect.stringMatching(name === 'tls' ? /key and cert/ : /paths of its own/),
    });
  });
});

describe('a service that cannot be', () => {
  /** A store, and how many listen to it. */
  function watched() {
    const { sessions, events, bus } = memoryStore();
    const heard = { now: 0, ever: 0 };
    const subscribe: typeof bus.subscribe = async (...given) => {
      const stop = await bus.subscribe(...given);
      heard.now++;
      heard.ever++;
      return () => {
        heard.now--;
        return stop();
      };
    };
    return { heard, store: { sessions, events, bus: { ...bus, publish: bus.publish.bind(bus), subscribe } } };
  }

  it('for its port is taken leaves nobody behind who listens to its store', async () => {
    const other = createListener();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { heard, store } = watched();
    await expect(serveHttp(sampleServer().server, { port, store })).rejects.toMatchObject({ code: 'not-listening' });
    await new Promise((resolve) => setImmediate(resolve));
    other.close();
    expect(heard).toEqual({ now: 0, ever: expect.any(Number) });
    expect(heard.ever).toBeGreaterThan(0);
  });

  it('for its certificate is none leaves nobody behind either', async () => {
    const { heard, store } = watched();
    const tls = { key: 'no key', cert: 'no certificate' };
    await expect(serveHttp(sampleServer().server, { port: 0, tls, store })).rejects.toMatchObject({
      code: 'not-listening',
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard.now).toBe(0);
  });
});
