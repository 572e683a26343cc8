/** `serveHttp` pings the clients of its sessions, at an interval and by hand. */
import { connect, createServer, type ServeHttpOptions, serveHttp } from 'tenon';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startSession } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { handshake } from '../../kit/transport/raw-connection.ts';

async function served(options: ServeHttpOptions = {}) {
  const http = await serveHttp(createServer({ name: 's', version: '1', tools: {} }), { port: 0, ...options });
  onTestFinished(() => http.close());
  return http;
}
const listen = async (url: string) => {
  const session = await startSession(url, '2025-11-25');
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session.id };
  return { session, stream: await open(url, { method: 'GET', headers }) };
};

it('pings by hand the clients that listen, and counts those that answer [S16]', async () => {
  const http = await served();
  const client = await connect(http.url, { protocolVersions: ['2025-11-25'] });
  onTestFinished(() => client.close());
  await vi.waitFor(async () => expect(await http.ping()).toEqual({ answered: 1, unanswered: 0 }));
  const silent = await listen(http.url);
  expect(await http.ping({ timeoutMs: 200 })).toEqual({ answered: 1, unanswered: 1 });
  expect(silent.stream.text()).toContain('"method":"ping"');
  silent.stream.cut();
});

it('pings at an interval, and ends the session of a client that does not answer [S16]', async () => {
  const http = await served({ timeouts: { pingIntervalMs: 1000 } });
  const client = await connect(http.url, { protocolVersions: ['2025-11-25'] });
  onTestFinished(() => client.close());
  const { session, stream } = await listen(http.url);
  await stream.until(() => stream.text().includes('"method":"ping"'), 'a ping');
  await vi.waitFor(async () => {
    const answer = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(answer.status).toBe(404);
  }, 20_000);
  await client.tools.list();
  expect(http.stats().sessions).toBe(1);
});

/** A client of HTTP+SSE that answers nothing; `initialize` begins its session. */
async function silentSse(url: string) {
  const stream = await open(new URL('/sse', url).href, { method: 'GET', headers: { accept: 'text/event-stream' } });
  await stream.until(() => stream.text().includes('/messages'), 'the endpoint');
  const [path = ''] = /\/messages\S+/.exec(stream.text()) ?? [];
  const initialize = async () => {
    await send(new URL(path, url).href, { body: handshake('2024-11-05') });
    await stream.until(() => stream.text().includes('serverInfo'), 'the session');
  };
  return { stream, initialize };
}

it('pings clients of HTTP+SSE as well, once they have a session [S16] [S20]', async () => {
  const http = await served();
  const client = await connect(new URL('/sse', http.url));
  onTestFinished(() => client.close());
  expect(await http.ping()).toEqual({ answered: 1, unanswered: 0 });
  const { stream, initialize } = await silentSse(http.url);
  expect(await http.ping()).toEqual({ answered: 1, unanswered: 0 });
  await initialize();
  expect(await http.ping({ timeoutMs: 200 })).toEqual({ answered: 1, unanswered: 1 });
  expect(stream.text()).toContain('"method":"ping"');
  stream.cut();
});

it('ends the stream of a client of HTTP+SSE that does not answer at an interval [S16] [S20]', async () => {
  const http = await served({ timeouts: { pingIntervalMs: 1000 } });
  const client = await connect(new URL('/sse', http.url));
  onTestFinished(() => client.close());
  const { stream, initialize } = await silentSse(http.url);
  await initialize();
  await stream.until(() => stream.text().includes('"method":"ping"'), 'a ping');
  await vi.waitFor(() => expect(http.stats().sessions).toBe(1), 20_000);
  await client.tools.list();
  stream.cut();
});

it('pings no client of 2026-07-28, which has no ping [S16]', async () => {
  const http = await served();
  const client = await connect(http.url);
  onTestFinished(() => client.close());
  await client.tools.list();
  expect(await http.ping()).toEqual({ answered: 0, unanswered: 0 });
});
