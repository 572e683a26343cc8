/** A replay over HTTP answers as an endpoint does: sessions, requests that stand alone, batches, and what it refuses. */
import { connect, createServer, tool } from 'tenon';
import {
  createCapture,
  type ReadCapture,
  type ReplayFault,
  readCapture,
  replayServer,
  serveReplay,
} from 'tenon/capture';
import { beforeAll, describe, expect, it } from 'vitest';

let session: ReadCapture;
let standAlone: ReadCapture;

async function recorded(version: '2025-03-26' | '2026-07-28'): Promise<ReadCapture> {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => lines.push(line) });
  const server = createServer({ name: 's', version: '1', tools: { hello: tool({}, () => 'hi') } });
  const client = await connect(server, { tap: capture.tap, protocolVersions: [version] });
  await client.tools.call('hello');
  await client.close();
  return readCapture(lines.join(''));
}

beforeAll(async () => {
  session = await recorded('2025-03-26');
  standAlone = await recorded('2026-07-28');
});

const endpoint = 'http://localhost/mcp';

type Fetch = (request: Request) => Promise<Response>;

const post = (fetch: Fetch, body: unknown, headers: Record<string, string> = {}, url = endpoint): Promise<Response> =>
  fetch(new Request(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers }));

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-03-26' } };
const hello = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hello', arguments: {} } });

async function opened(fetch: Fetch): Promise<Record<string, string>> {
  const response = await post(fetch, initialize);
  return { 'mcp-session-id': String(response.headers.get('mcp-session-id')) };
}

describe('a replay over HTTP', () => {
  it('opens a session, answers in it, and ends it [S31]', async () => {
    const { fetch } = replayServer(session);
    const headers = await opened(fetch);
    const answer = await post(fetch, hello(7), headers);
    expect(await answer.json()).toMatchObject({ id: 7, result: { content: [{ text: 'hi' }] } });
    expect((await post(fetch, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
    expect((await fetch(new Request(endpoint, { method: 'DELETE', headers }))).status).toBe(204);
    expect((await post(fetch, hello(8), headers)).status).toBe(404);
    expect((await fetch(new Request(endpoint, { method: 'DELETE', headers }))).status).toBe(404);
  });

  it('answers a batch as events, one for each request', async () => {
    const { fetch } = replayServer(session);
    const answer = await post(fetch, [hello(1), hello(2)], await opened(fetch));
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect((await answer.text()).match(/"id":\d/g)).toEqual(['"id":1', '"id":2']);
  });

  it('answers requests that stand alone, of several clients with equal ids', async () => {
    const { fetch } = replayServer(standAlone);
    const answers = await Promise.all([post(fetch, hello(1)), post(fetch, hello(1))]);
    for (const answer of answers) expect(await answer.json()).toMatchObject({ id: 1, result: {} });
    const unknown = await post(fetch, { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: {} });
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'The capture has no such prompts/list' } },
    ]);
  });

  it.each<[string, RequestInit, number]>([
    ['a body that is no JSON', { method: 'POST', body: '{' }, 400],
    ['an empty batch', { method: 'POST', body: '[]' }, 400],
    ['an unknown session', { method: 'POST', body: '{}', headers: { 'mcp-session-id': 'x' } }, 404],
    ['a stream without a session', { method: 'GET' }, 405],
    ['another method', { method: 'PUT', body: '{}' }, 405],
  ])('refuses %s', async (_, init, status) => {
    expect((await replayServer(session).fetch(new Request(endpoint, init))).status).toBe(status);
  });

  it('refuses more than 1000 sessions, until one has ended', async () => {
    const { fetch, close } = replayServer(session);
    const first = await opened(fetch);
    for (let n = 1; n < 1000; n++) await opened(fetch);
    const refused = await post(fetch, initialize);
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { message: 'There are 1000 sessions, which is the limit' } },
    ]);
    await fetch(new Request(endpoint, { method: 'DELETE', headers: first }));
    expect((await post(fetch, initialize)).status).toBe(200);
    close();
    expect((await post(fetch, initialize)).status).toBe(200);
  });

  it.each<[ReplayFault['do'], RegExp]>([
    ['cut', /fetch failed|terminated|socket|closed|other side/i],
    ['tear', /fetch failed|terminated|socket|closed|other side|aborted/i],
  ])('the fault %s breaks the connection', async (effect, message) => {
    const faults: ReplayFault[] = [{ on: 'tools/call', do: effect }];
    const service = await serveReplay(replayServer(session, { faults }));
    const { headers } = await fetch(service.url, { method: 'POST', body: JSON.stringify(initialize), headers: json });
    const own = { ...json, 'mcp-session-id': String(headers.get('mcp-session-id')) };
    const call = fetch(service.url, { method: 'POST', body: JSON.stringify(hello(1)), headers: own });
    await expect(call.then((answer) => answer.text())).rejects.toThrow(message);
    await service.close();
  });

  it('listens on loopback only, and refuses foreign hosts and pages', async () => {
    const service = await serveReplay(replayServer(session));
    expect(service.url).toBe(`http://127.0.0.1:${service.port}/mcp`);
    const headers = { ...json, origin: 'https://evil.example' };
    expect((await fetch(service.url, { method: 'POST', body: '{}', headers })).status).toBe(403);
    await service.close();
    await expect(serveReplay(replayServer(session), { port: -1 })).rejects.toThrow(/port/);
    await expect(serveReplay({} as never)).rejects.toThrow(/Pass replayServer/);
  });
});

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
