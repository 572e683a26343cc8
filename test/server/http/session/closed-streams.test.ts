/** A handler lets the connection of its call go: where the revision has a way back the client comes for the rest, elsewhere nothing happens. */

import {
  connect,
  createServer,
  type HttpService,
  type ProtocolVersion,
  protocolVersions,
  serveHttp,
  tool,
} from 'tenon';
import { afterEach, expect, it } from 'vitest';
import { asyncStore } from '../../../kit/async-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { secrets } from './two-nodes.ts';

let service: HttpService | undefined;
afterEach(() => service?.close());

const patience = 10_000;
const withPolling: ProtocolVersion = '2025-11-25';
const handshakes = protocolVersions.filter((id) => id >= '2025-03-26' && id < '2026-07-28');

/** A server whose tool lets the connection go and waits to be told before it answers. */
function leaving(retryMs?: number, options: Parameters<typeof createServer>[1] = {}) {
  const notified = deferred();
  const server = createServer(
    {
      name: 'leaving',
      version: '1.0.0',
      tools: {
        leave: tool({}, async (_given, ctx) => {
          ctx.closeStream(retryMs === undefined ? {} : { retryMs });
          await notified.promise;
          return 'here again';
        }),
      },
    },
    options,
  );
  return { server, goOn: () => notified.resolve() };
}

const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    signal: AbortSignal.timeout(patience),
  });

/** Opens a session; gives the headers that later requests of it need. */
async function greet(url: string, revision: ProtocolVersion): Promise<Record<string, string>> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const greeted = await post(url, { id: 0, method: 'initialize', params });
  const headers = { 'mcp-session-id': greeted.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision };
  await post(url, { method: 'notifications/initialized' }, headers);
  return headers;
}

const call = { id: 1, method: 'tools/call', params: { name: 'leave', arguments: {} } };

const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'here again' }] } };

it('ends the connection after an event id and the time to wait, and gives the answer to who comes back [s-http-15, s-http-16, s-http-18]', async () => {
  const { server, goOn } = leaving(20);
  service = await serveHttp(server, { port: 0 });
  const headers = await greet(service.url, withPolling);
  const first = await (await post(service.url, call, headers)).text();
  expect(first).toMatch(/^id: (\S+)\ndata: \n\nretry: 20\n\n$/);
  const [, lastEvent = ''] = /id: (\S+)/.exec(first) ?? [];
  const back = await fetch(service.url, {
    headers: { ...headers, accept: 'text/event-stream', 'last-event-id': lastEvent },
    signal: AbortSignal.timeout(patience),
  });
  goOn();
  const [, data = ''] = /data: (\S.*)\n\n$/.exec(await back.text()) ?? [];
  expect(JSON.parse(data)).toEqual(answer);
});

it('gives the event id before the connection ends where the store takes its time [s-http-15, s-http-16]', async () => {
  const { server } = leaving(20, { secrets });
  service = await serveHttp(server, { port: 0, timeouts: { shutdownMs: 1 }, sessions: { store: asyncStore() } });
  const headers = await greet(service.url, withPolling);
  expect(await (await post(service.url, call, headers)).text()).toMatch(/^id: (\S+)\ndata: \n\nretry: 20\n\n$/);
});

it('tells the client to wait a second where the handler does not say how long', async () => {
  const { server } = leaving();
  service = await serveHttp(server, { port: 0, timeouts: { shutdownMs: 1 } });
  const headers = await greet(service.url, withPolling);
  expect(await (await post(service.url, call, headers)).text()).toContain('retry: 1000\n\n');
});

it.each(handshakes.filter((id) => id !== withPolling))(
  'changes nothing in a session without that way back, %s',
  async (id) => {
    const { server, goOn } = leaving();
    service = await serveHttp(server, { port: 0 });
    const headers = await greet(service.url, id);
    goOn();
    const response = await post(service.url, call, headers);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(answer);
  },
);

it('changes nothing where every request stands alone', async () => {
  const { server, goOn } = leaving();
  service = await serveHttp(server, { port: 0 });
  goOn();
  const revision: ProtocolVersion = '2026-07-28';
  const names = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': call.method, 'mcp-name': 'leave' };
  const response = await post(service.url, { ...call, params: { ...call.params, _meta: names } }, headers);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject(answer);
});

it.each(protocolVersions)('changes nothing in memory, %s', async (id) => {
  const { server, goOn } = leaving();
  goOn();
  const client = await connect(server, { protocolVersions: [id] });
  expect(await client.tools.call('leave', {})).toMatchObject({ content: [{ type: 'text', text: 'here again' }] });
  await client.close();
});

it.each([-1, 0.5, Number.NaN])('refuses %d milliseconds', async (retryMs) => {
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
