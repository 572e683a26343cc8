/** The server as a function from Request to Response, without Node's HTTP. */

import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { tool } from 'tenon';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type FetchHandler, toFetchHandler } from '../../../src/server/http/fetch.ts';
import { deferred } from '../../kit/deferred.ts';
import { alone, call, initialize, lone, loneCall, notification, request } from '../../kit/http/messages.ts';
import { type Json, type Headers as Named, send } from '../../kit/http/raw-http.ts';
import { sampleServer } from '../../kit/http/sample-server.ts';
import { connectV1, connectV2, type OfficialClient } from '../../kit/peers/official-clients.ts';
import { tryEverything } from '../../kit/peers/official-suite.ts';
import { createRichServer } from '../../kit/peers/rich-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const url = 'http://localhost/mcp';
afterEach(() => void vi.useRealTimers());

function post(sent: { readonly headers?: Named; readonly body: unknown }, signal?: AbortSignal): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(sent.headers ?? {})) if (value !== undefined) headers.set(name, value);
  const body = typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body);
  return new Request(url, { method: 'POST', headers, body, ...(signal && { signal }) });
}

const events = (text: string): Json[] => [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));

describe('toFetchHandler', () => {
  it('answers a request with one JSON object if no notification precedes it', async () => {
    const handle = toFetchHandler(sampleServer().server);
    const response = await handle(post(loneCall('echo', { text: 'häll\no 🌍' })));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'häll\no 🌍' }] } });
  });

  it('answers with a stream if notifications precede the response', async () => {
    const handle = toFetchHandler(sampleServer().server);
    const response = await handle(post(loneCall('count', { to: 3 }, { progressToken: 1 }, 7)));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(events(await response.text()).map(({ method, id }) => method ?? id)).toEqual([
      ...Array(3).fill('notifications/progress'),
      7,
    ]);
  });

  it('serves sessions: initialize, calls, GET stream and DELETE', async () => {
    const { server } = sampleServer();
    const handle = toFetchHandler(server);
    const handshake = await handle(post({ body: initialize('2025-11-25') }));
    const headers = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
    expect((await handle(post({ headers, body: notification('notifications/initialized') }))).status).toBe(202);
    expect((await handle(post({ headers, body: request('ping') }))).status).toBe(200);
    const get = new Request(url, { headers: { ...headers, accept: 'text/event-stream' } });
    const reader = (await handle(get)).body?.getReader();
    server.update((draft) => {
      delete draft.tools.fail;
    });
    const part = await withTimeout(reader?.read() ?? Promise.reject(new Error('no body')), 'the change');
    expect(new TextDecoder().decode(part.value)).toContain('notifications/tools/list_changed');
    await reader?.cancel();
    expect(handle.stats()).toMatchObject({ sessions: 1, streams: 0, activeCalls: 0 });
    expect((await handle(new Request(url, { method: 'DELETE', headers }))).status).toBe(204);
    expect((await handle(post({ headers, body: request('ping') }))).status).toBe(404);
  });

  it.each(['a cancelled body', 'an aborted signal'])('cancels a call of an exchange on %s [e-http-26]', async (by) => {
    const { server, waits, aborted } = sampleServer();
    const handle = toFetchHandler(server);
    const caller = new AbortController();
    const response = await handle(post(loneCall('wait', {}, { progressToken: 1 }), caller.signal));
    await withTimeout(waits, 'the handler');
    if (by === 'an aborted signal') caller.abort();
    else await response.body?.cancel();
    await withTimeout(aborted, 'the handler to be aborted');
    expect(handle.stats().streams).toBe(0);
  });

  it('cancels a call without notifications when its request is aborted, and resolves with 499', async () => {
    const { server, waits, aborted } = sampleServer();
    const caller = new AbortController();
    const response = toFetchHandler(server)(post(loneCall('wait'), caller.signal));
    await withTimeout(waits, 'the handler');
    caller.abort();
    await withTimeout(aborted, 'the handler to be aborted');
    expect((await withTimeout(response, 'the response')).status).toBe(499);
  });

  it('sends only as much as is read, and disconnects a client that reads too slowly', async () => {
    const warnings: Error[] = [];
    const flood = tool({ inputSchema: z.object({ pieces: z.number() }) }, async ({ pieces }, ctx) => {
      for (let n = 1; n <= pieces; n++) {
        ctx.reportProgress(n, pieces, 'x'.repeat(1000));
        await Promise.resolve();
      }
      return 'done';
    });
    const { server } = sampleServer({}, { tools: { flood } });
    const handle = toFetchHandler(server, {
      limits: { maxQueuedChars: 5000 },
      onWarning: (error) => warnings.push(error),
    });
    const response = await handle(post(loneCall('flood', { pieces: 50 }, { progressToken: 1 })));
    await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'queue-full' }]));
    await expect(response.text()).rejects.toThrow('too slowly');
    expect(handle.stats().streams).toBe(0);
    const read = await handle(post(loneCall('flood', { pieces: 5 }, { progressToken: 1 })));
    expect(events(await read.text())).toHaveLength(6);
  });

  it('checks the host of the URL, the origin, the media type and the size', async () => {
    const handle = toFetchHandler(sampleServer().server, {
      limits: { maxBodyBytes: 1000 },
      allowedOrigins: ['https://app.example'],
    });
    const { headers, body } = loneCall('echo', { text: 'x' });
    const statusOf = async (request: Request): Promise<number> => (await handle(request)).status;
    const elsewhere = new Request('https://evil.example/mcp', post({ headers, body }));
    expect(await statusOf(elsewhere)).toBe(403);
    expect(await statusOf(post({ headers: { ...headers, origin: 'https://evil.example' }, body }))).toBe(403);
    expect(await statusOf(post({ headers: { ...headers, 'content-type': 'text/plain' }, body }))).toBe(415);
    expect(await statusOf(post({ headers, body: 'x'.repeat(2000) }))).toBe(413);
    expect(await statusOf(post({ headers, body: '{' }))).toBe(400);
    expect(await statusOf(new Request(url, { method: 'PUT' }))).toBe(405);
    const bytes = new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([34, 255, 34]),
    });
    expect(await statusOf(bytes)).toBe(400);
    const shared = await handle(post({ headers: { ...headers, origin: 'https://app.example' }, body }));
    expect(shared.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const preflight = new Request(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
    expect(await statusOf(preflight)).toBe(204);
  });

  it('accepts larger bodies if maxBodyBytes is raised', async () => {
    const handle = toFetchHandler(sampleServer().server, { limits: { maxBodyBytes: 16 * 1024 * 1024 } });
    expect((await handle(post(loneCall('echo', { text: 'x'.repeat(6_000_000) })))).status).toBe(200);
  });

  it('lets a client of the founding documents open /events without a session [S20]', async () => {
    const { server } = sampleServer();
    const handle = toFetchHandler(server);
    const headers = { accept: 'text/event-stream' };
    expect((await handle(new Request(`${url}?from=/events`, { headers }))).status).toBe(400);
    const response = await handle(new Request(`${url}/events?since=1`, { headers }));
    expect(response.status).toBe(200);
    server.update((draft) => {
      delete draft.tools.fail;
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data: ')) text += (await reader?.read())?.value ?? '';
    expect(text).toMatch(/event: notification\nid: \S+\ndata: .*list_changed/);
    await reader?.cancel();
  });

  it('waits 30 seconds for authenticate, then answers 503 and names it to onWarning', async () => {
    vi.useFakeTimers();
    const never = (): Promise<string> => new Promise(() => {});
    const warnings: Error[] = [];
    const onWarning = (error: Error): void => void warnings.push(error);
    const handle = toFetchHandler(sampleServer().server, { authenticate: never, onWarning });
    const response = handle(post(loneCall('echo', { text: 'x' })));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(warnings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await response).status).toBe(503);
    const message = expect.stringContaining('authenticate() did not return');
    expect(warnings).toMatchObject([{ code: 'callback-failed', message }]);
  });

  it('does not serve a request that is authenticated too late', async () => {
    vi.useFakeTimers();
    const principal = deferred<string>();
    const { server, waits } = sampleServer();
    const handle = toFetchHandler(server, { authenticate: () => principal.promise });
    const response = handle(post(loneCall('wait')));
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await response).status).toBe(503);
    principal.resolve('issuer ada');
    await vi.advanceTimersByTimeAsync(0);
    expect(handle.stats().activeCalls).toBe(0);
    await expect(Promise.race([waits.then(() => 'served'), 'refused'])).resolves.toBe('refused');
  });

  it('authenticates with an async function', async () => {
    const handle = toFetchHandler(sampleServer().server, {
      authenticate: async ({ raw }) => raw.headers.get('x-user') ?? { anonymous: true },
    });
    const handshake = await handle(post({ headers: { 'x-user': 'ada' }, body: initialize('2025-11-25') }));
    const session = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
    const ping = async (user: string): Promise<number> =>
      (await handle(post({ headers: { ...session, 'x-user': user }, body: request('ping') }))).status;
    expect([await ping('ada'), await ping('eve')]).toEqual([200, 404]);
  });

  it('drains on close: answers running calls, ends subscriptions, rejects new requests [S37]', async () => {
    const { server, waits, release } = sampleServer();
    const handle = toFetchHandler(server);
    const handshake = await handle(post({ body: initialize('2025-11-25') }));
    const headers = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
    const waiting = [handle(post(loneCall('wait'))), handle(post({ headers, body: call('wait') }))];
    const listening = await handle(post(lone('subscriptions/listen', { notifications: {} })));
    await withTimeout(waits, 'the handler');
    const closed = handle.close();
    expect((await handle(post(loneCall('echo', { text: 'x' })))).status).toBe(503);
    release();
    for (const response of await Promise.all(waiting)) expect(await response.text()).toContain('waited');
    expect(events(await listening.text()).at(-1)).toMatchObject({ id: 1, result: {} });
    await withTimeout(closed, 'the endpoint to close');
    expect(handle.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
    expect((await handle(post(loneCall('echo', { text: 'x' })))).status).toBe(503);
  });

  it('ends sessions after 30 idle minutes, not while a call runs, and sends keep-alive comments on silent streams', async () => {
    vi.useFakeTimers();
    const { server, release } = sampleServer();
    const handle = toFetchHandler(server);
    const start = async (): Promise<Named> => {
      const handshake = await handle(post({ body: initialize('2025-11-25') }));
      const session = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
      await handle(post({ headers: session, body: request('ping') }));
      return session;
    };
    const busy = await start();
    const waiting = handle(post({ headers: busy, body: call('wait') }));
    await start();
    const stream = await handle(post(lone('subscriptions/listen', { notifications: {} })));
    await vi.advanceTimersByTimeAsync(29 * 60_000);
    expect(handle.stats().sessions).toBe(2);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(handle.stats().sessions).toBe(1);
    release();
    expect((await waiting).status).toBe(200);
    await vi.advanceTimersByTimeAsync(29 * 60_000);
    expect(handle.stats().sessions).toBe(1);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(handle.stats().sessions).toBe(0);
    const reader = stream.body?.getReader();
    await reader?.read();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^:/);
    await reader?.cancel();
  });

  it('works behind any server that can pass a Request and a Response', async () => {
    const handle = toFetchHandler(sampleServer().server);
    const listener = createHttpServer(async (incoming, outgoing) => {
      const body = incoming.method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
      const headers = incoming.headers as Record<string, string>;
      const init = { method: incoming.method ?? '', headers, ...body } as RequestInit;
      const response = await handle(new Request(`http://${incoming.headers.host}${incoming.url}`, init));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    const at = `http://127.0.0.1:${port}/mcp`;
    expect((await send(at, loneCall('echo', { text: 'x' }))).json).toMatchObject({ result: {} });
    const counted = await send(at, loneCall('count', { to: 2 }, { progressToken: 1 }));
    expect(events(counted.text)).toHaveLength(3);
    listener.closeAllConnections();
    listener.close();
  });
});

const through = (handle: FetchHandler) => ({
  fetch: (address: string | URL, init?: RequestInit) => handle(new Request(address, init)),
});

describe.each([
  ['SDK v1', '2025-11-25'],
  ['SDK v2', alone],
])('toFetchHandler and a client of %s without a network', (name, revision) => {
  let client: OfficialClient;
  beforeAll(async () => {
    const options = through(toFetchHandler(createRichServer(), { strict: true }));
    client =
      name === 'SDK v1'
        ? await connectV1(new V1Transport(new URL(url), options) as Transport)
        : await connectV2(new V2Transport(new URL(url), options), { pin: alone });
    return () => client.close();
  });
  tryEverything(revision, () => client, { serverRequests: '', cancelling: '' });
});
