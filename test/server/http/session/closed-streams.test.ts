/** closeStream in a handler: the client resumes the stream if the revision supports it, else nothing happens. */
import { connect, createServer, type HttpService, type ProtocolVersion, serveHttp, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { afterEach, expect, it } from 'vitest';
import { asyncStore } from '../../../kit/async-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { versionsFrom } from '../../../kit/version-order.ts';
import { secrets } from './two-nodes.ts';

let service: HttpService | undefined;
afterEach(() => service?.close());

const timeoutMs = 10_000;
const withPolling: ProtocolVersion = '2025-11-25';
const handshakes = versionsFrom('2025-03-26', '2025-11-25');

/** A server whose tool closes its stream and returns after `finish`. */
function closingServer(retryMs?: number, options: Parameters<typeof createServer>[1] = {}) {
  const finished = deferred();
  const server = createServer(
    {
      name: 'closing',
      version: '1.0.0',
      tools: {
        leave: tool({}, async (_given, ctx) => {
          ctx.closeStream(retryMs === undefined ? {} : { retryMs });
          await finished.promise;
          return 'resumed';
        }),
      },
    },
    options,
  );
  return { server, finish: () => finished.resolve() };
}

const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    signal: AbortSignal.timeout(timeoutMs),
  });

/** Opens a session. Returns the headers for its later requests. */
async function openSession(url: string, revision: ProtocolVersion): Promise<Record<string, string>> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const handshake = await post(url, { id: 0, method: 'initialize', params });
  const headers = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision };
  await post(url, { method: 'notifications/initialized' }, headers);
  return headers;
}

const call = { id: 1, method: 'tools/call', params: { name: 'leave', arguments: {} } };

const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'resumed' }] } };

it('closeStream ends the response after an event id and a retry time, and the client gets the result when it resumes [s-http-15, s-http-16, s-http-18]', async () => {
  const { server, finish } = closingServer(20);
  service = await serveHttp(server, { port: 0 });
  const headers = await openSession(service.url, withPolling);
  const first = await (await post(service.url, call, headers)).text();
  expect(first).toMatch(/^id: (\S+)\ndata: \n\nretry: 20\n\n$/);
  const [, lastEvent = ''] = /id: (\S+)/.exec(first) ?? [];
  const back = await fetch(service.url, {
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': lastEvent },
    signal: AbortSignal.timeout(timeoutMs),
  });
  finish();
  const [, data = ''] = /data: (\S.*)\n\n$/.exec(await back.text()) ?? [];
  expect(JSON.parse(data)).toEqual(answer);
});

it('closeStream sends the event id before the response ends, also with an asynchronous store [s-http-15, s-http-16]', async () => {
  const { server } = closingServer(20, { secrets });
  service = await serveHttp(server, { port: 0, timeouts: { shutdownMs: 1 }, store: asyncStore() });
  const headers = await openSession(service.url, withPolling);
  expect(await (await post(service.url, call, headers)).text()).toMatch(/^id: (\S+)\ndata: \n\nretry: 20\n\n$/);
});

it('closeStream sends a retry time of one second by default', async () => {
  const { server } = closingServer();
  service = await serveHttp(server, { port: 0, timeouts: { shutdownMs: 1 } });
  const headers = await openSession(service.url, withPolling);
  expect(await (await post(service.url, call, headers)).text()).toContain('retry: 1000\n\n');
});

it.each(handshakes.filter((id) => id !== withPolling))(
  'closeStream has no effect in a session at %s, which does not support it',
  async (id) => {
    const { server, finish } = closingServer();
    service = await serveHttp(server, { port: 0 });
    const headers = await openSession(service.url, id);
    finish();
    const response = await post(service.url, call, headers);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(answer);
  },
);

it('closeStream has no effect in an exchange', async () => {
  const { server, finish } = closingServer();
  service = await serveHttp(server, { port: 0 });
  finish();
  const revision: ProtocolVersion = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': call.method, 'mcp-name': 'leave' };
  const response = await post(service.url, { ...call, params: { ...call.params, _meta: meta } }, headers);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject(answer);
});

it.each(protocolVersions)('closeStream has no effect in memory, %s', async (id) => {
  const { server, finish } = closingServer();
  finish();
  const client = await connect(server, { protocolVersions: [id] });
  expect(await client.tools.call('leave', {})).toMatchObject({ content: [{ type: 'text', text: 'resumed' }] });
  await client.close();
});

it.each([-1, 0.5, Number.NaN])('closeStream rejects a retryMs of %d', async (retryMs) => {
  const failures: unknown[] = [];
  const wrong = createServer(
    {
      name: 'wrong',
      version: '1.0.0',
      tools: { leave: tool({}, (_given, ctx) => (ctx.closeStream({ retryMs }), 'left')) },
    },
    { onError: (error) => failures.push(error) },
  );
  const client = await connect(wrong);
  expect(await client.tools.call('leave', {})).toMatchObject({ isError: true });
  expect(failures).toMatchObject([{ code: 'invalid-argument' }]);
  await client.close();
});
