/** What a service logs, as pino writes it, and what it never logs. */
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { createServer, type Logger, serveStdio, tool } from 'tenon';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, lone, loneCall, sessionRevisions, startSession } from '../kit/http/messages.ts';
import { open, send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly [field: string]: unknown;
}

/** A pino instance, and all lines that it has written. */
function written(): { readonly logger: Logger; readonly lines: readonly Line[]; text(): string } {
  const texts: string[] = [];
  const lines: Line[] = [];
  const logger = pino(
    { level: 'debug' },
    {
      write(text: string) {
        texts.push(text);
        lines.push(JSON.parse(text));
      },
    },
  );
  return { logger, lines, text: () => texts.join('') };
}

const info = 30;
const warn = 40;

it.each(sessionRevisions)(
  'the begin and the end of a session of %s are logged, with the last characters of its id',
  async (id) => {
    const { logger, lines, text } = written();
    const { url } = await serve({ logger });
    const session = await startSession(url, id, { headers: { 'x-request-id': 'one' } });
    await session.post(call('echo', { text: 'hunter2' }));
    await session.end();
    const shown = session.id.slice(-12);
    expect(lines).toMatchObject([
      { level: info, msg: 'session opened', session: shown, requestId: 'one' },
      { level: info, msg: 'session ended', session: shown },
    ]);
    expect(lines[1]?.reason).toBeTypeOf('string');
    expect(text()).not.toContain(session.id);
  },
);

it('a stream of HTTP+SSE is logged as a session', async () => {
  const { logger, lines } = written();
  const { url } = await serve({ logger });
  const address = url.replace('/mcp', '/sse');
  const stream = await open(address, {
    method: 'GET',
    headers: { 'x-request-id': 'one', accept: 'text/event-stream' },
  });
  stream.cut();
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  expect(lines).toMatchObject([
    { msg: 'session opened', requestId: 'one' },
    { msg: 'session ended', session: lines[0]?.session },
  ]);
});

it('a refused request is logged with its status and its id, whether its body was read or not', async () => {
  const { logger, lines } = written();
  const { url } = await serve({ logger, limits: { maxBodyBytes: 1000 } });
  const identified = (id: string) => ({ 'x-request-id': id });
  const { body } = loneCall('echo', { text: 'a' });
  await send(url, { body, headers: { ...identified('host'), host: 'evil.example' } });
  await send(url, { body, headers: { ...identified('type'), 'content-type': 'text/plain' } });
  await send(url, { body: call('echo'), headers: { ...identified('lost'), 'mcp-session-id': 'nowhere' } });
  await send(url, { body: 'x'.repeat(2000), headers: identified('large') });
  await send(url, { method: 'GET', headers: { ...identified('get'), accept: 'text/event-stream' } });
  expect(lines.map(({ msg, requestId, method, status }) => [msg, requestId, method, status])).toEqual([
    [expect.stringContaining('allowedHosts'), undefined, undefined, undefined],
    ['request refused', 'host', 'POST', 403],
    ['request refused', 'type', 'POST', 415],
    ['request refused', 'lost', 'POST', 404],
    ['request refused', 'large', 'POST', 413],
    ['request refused', 'get', 'GET', 400],
  ]);
});

it('a host or an origin that is not allowed is logged once, with the option that admits it', async () => {
  const { logger, lines } = written();
  const { url } = await serve({ logger });
  const { headers, body } = loneCall('echo', { text: 'a' });
  const refused = [{ host: 'mcp.example' }, { host: 'mcp.example:8080' }, { origin: 'https://app.example' }];
  for (const more of [...refused, ...refused]) await send(url, { body, headers: { ...headers, ...more } });
  const { href } = new URL('/sse', url);
  await send(href, { method: 'GET', headers: { host: 'other.example' } });
  expect(lines.filter(({ level }) => level === warn).map(({ msg }) => msg)).toEqual([
    'The host "mcp.example" is not allowed: add it to allowedHosts of the server',
    'The origin "https://app.example" is not allowed: add it to allowedOrigins of the server',
    'The host "other.example" is not allowed: add it to allowedHosts of the server',
  ]);
});

it('at most 100 refused hosts are logged', async () => {
  const { logger, lines } = written();
  const { url } = await serve({ logger });
  const { headers, body } = loneCall('echo', { text: 'a' });
  for (let n = 0; n < 120; n++) await send(url, { body, headers: { ...headers, host: `h${n}.example` } });
  expect(lines.filter(({ level }) => level === warn)).toHaveLength(100);
});

it('a request without an id gets one, and an id that could forge a log line is replaced', async () => {
  const { logger, lines } = written();
  const { url } = await serve({ logger });
  await send(url, { body: call('echo'), headers: { 'mcp-session-id': 'nowhere' } });
  await send(url, { body: call('echo'), headers: { 'mcp-session-id': 'nowhere', 'x-request-id': 'a b "c"' } });
  const ids = lines.map(({ requestId }) => String(requestId));
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
});

it('a successful call is not logged, and the close of a service is', async () => {
  const { logger, lines } = written();
  const service = await serve({ logger });
  const { headers, body } = loneCall('echo', { text: 'a' });
  await send(service.url, { body, headers });
  expect(lines).toEqual([]);
  await service.close();
  expect(lines.map(({ msg, level }) => [msg, level])).toEqual([
    ['draining', info],
    ['closed', info],
  ]);
  expect(lines[0]).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
});

it('no line contains arguments, tokens, cookies or the text of an unreadable message', async () => {
  const { logger, lines, text } = written();
  const { url } = await serve({ logger });
  const secret = 'hunter2';
  const credentials = {
    authorization: `Bearer ${secret}`,
    cookie: `session=${secret}`,
    'proxy-authorization': `Basic ${secret}`,
  };
  const session = await startSession(url, '2025-11-25', { headers: credentials });
  await session.post(call('echo', { text: secret }));
  await session.post(call('echo', { text: { [secret]: 1 } }));
  await session.post(call(secret));
  await session.post(`{"${secret}`);
  await session.post(call('fail', { text: secret }));
  await send(url, { body: `{"${secret}`, headers: credentials });
  const { headers, body } = lone(secret, { [secret]: secret });
  await send(url, { body, headers: { ...headers, ...credentials } });
  await send(url, { body, headers: { ...credentials, host: `user:${secret}@evil.example` } });
  await send(url, { body, headers: { ...headers, origin: `https://user:${secret}@evil.example` } });
  await session.end();
  expect(lines.length).toBeGreaterThan(4);
  expect(text()).not.toContain(secret);
});

it('over stdio the connection is logged, and its warnings by their codes alone', async () => {
  const { logger, lines, text } = written();
  const input = new PassThrough();
  const output = new PassThrough();
  const warnings: Error[] = [];
  const echo = tool({ inputSchema: z.object({ text: z.string() }) }, ({ text: given }) => given);
  const server = createServer({ name: 'piped', version: '1', tools: { echo } });
  const service = serveStdio(server, {
    stdin: input,
    stdout: output,
    logger,
    onWarning: (error) => warnings.push(error),
  });
  const answered = new Promise((resolve) => output.once('data', resolve));
  input.write('{"hunter2\n');
  await answered;
  input.end();
  await service.closed;
  expect(lines.map(({ msg, level, code }) => [level, code ?? msg])).toEqual([
    [info, 'connection opened'],
    [warn, 'invalid-json'],
    [info, 'draining'],
    [info, 'connection ended'],
  ]);
  expect(warnings).toMatchObject([{ code: 'invalid-json' }]);
  expect(text()).not.toContain('hunter2');
});

it('a logger that throws does not affect requests', async () => {
  const fail = (): never => {
    throw new Error('the disk is full');
  };
  const { url } = await serve({ logger: { debug: fail, info: fail, warn: fail, error: fail } });
  const session = await startSession(url, '2025-11-25');
  expect((await session.post(call('echo', { text: 'a' }))).status).toBe(200);
  expect((await send(url, { body: 'no json' })).status).toBe(400);
});
