/** Failures over HTTP name the address, and nothing in it that lets somebody in; requests have it all. */
import { connect, type TenonError } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import { alone, type Received, refuse, scripted, stream } from '../../kit/http/scripted-server.ts';
import { failureOf } from './broken-targets.ts';

const query = '?token=sesame&sesame';
const shownQuery = '?token=…&…';

/** All that somebody may print of an error. */
const notified = (error: TenonError): string =>
  JSON.stringify([error.message, error.hint, error.details, error.stack, String(error.cause)]);

interface Row {
  readonly name: string;
  readonly code: string;
  readonly script: (received: Received) => unknown;
}

const rows: Row[] = [
  { name: 'refuses', code: 'unauthorized', script: ({ response }) => refuse(response, 401) },
  { name: 'hangs up', code: 'connection-closed', script: ({ response }) => response.destroy() },
  { name: 'says nothing', code: 'connection-closed', script: ({ response }) => response.writeHead(202).end() },
  {
    name: 'answers with an empty body',
    code: 'invalid-result',
    script: ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  },
  {
    name: 'is a web site',
    code: 'unexpected-content',
    script: ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  },
  {
    name: 'speaks another revision',
    code: 'protocol-version-mismatch',
    script: ({ message, response }) =>
      message.method === 'server/discover' &&
      refuse(response, 400, {
        code: -32022,
        message: 'Unsupported',
        data: { supported: ['2099-01-01'], requested: alone },
      }),
  },
];

it.each(rows)('a server that $name is told of by its address without secrets', async ({ code, script }) => {
  const server = await scripted(script);
  const error = await failureOf(`${server.url.replace('http://', 'http://sesame:sesame@')}${query}`);
  expect(error).toMatchObject({ code, details: { url: `${server.url}${shownQuery}` } });
  expect(error.message).toContain(`${server.url}${shownQuery} `);
  expect(notified(error)).not.toContain('sesame');
  expect(server.received[0]?.path).toBe(`/mcp${query}`);
});

it('a server that answers by an error is told of by its address without secrets', async () => {
  const server = await scripted(({ response }) => refuse(response, 200, { code: -32603, message: 'Broken' }));
  const error = await failureOf(`${server.url}${query}`);
  expect(error.message).toContain(`${server.url}${shownQuery} answered by an error`);
  expect(notified(error)).not.toContain('sesame');
});

it('a server that never answers is told of by its address without secrets', async () => {
  const clock = createFakeClock();
  const server = await scripted(() => {});
  const options = { protocolVersions: [alone], timeoutMs: 5000, ...withClock(clock) } as const;
  const failure = failureOf(`${server.url}${query}`, options);
  await server.until(() => true);
  clock.advance(5000);
  const error = await failure;
  expect(error).toMatchObject({ code: 'timeout', details: { url: `${server.url}${shownQuery}` } });
  expect(notified(error)).not.toContain('sesame');
});

it('where a server points to is told without secrets', async () => {
  const location = 'https://u:sesame@elsewhere.example/mcp?token=sesame#sesame';
  const server = await scripted(({ response }) => refuse(response, 308, undefined, { location }));
  const error = await failureOf(server.url);
  expect(error).toMatchObject({
    code: 'redirect-not-followed',
    details: { location: 'https://…@elsewhere.example/mcp?token=…#…' },
  });
  expect(notified(error)).not.toContain('sesame');
});

it('where a server of HTTP+SSE wants messages is told without secrets', async () => {
  const server = await scripted(({ method, response }) =>
    method === 'GET'
      ? stream(response, 'event: endpoint\ndata: http://elsewhere.example/messages?session=sesame\n\n')
      : refuse(response, 404),
  );
  const error = await failureOf(server.url);
  expect(error).toMatchObject({
    code: 'redirect-not-followed',
    details: { endpoint: 'http://elsewhere.example/messages?session=…' },
  });
  expect(notified(error)).not.toContain('sesame');
});

it('a call that fails later is told of without secrets', async () => {
  const server = await scripted(({ message, response }) =>
    message.method === 'tools/call' ? refuse(response, 403) : false,
  );
  const client = await connect(`${server.url}${query}`, { reconnect: false });
  onTestFinished(() => client.close());
  const error = (await client.tools.call('look').catch((failed) => failed)) as TenonError;
  expect(error).toMatchObject({ code: 'forbidden', details: { url: `${server.url}${shownQuery}` } });
  expect(notified(error)).not.toContain('sesame');
});

it.each([
  'https://u:sesame@exa mple/?token=sesame',
  'https://exa mple/?token=sesame',
  'https://h:sesame/mcp',
  'ws://u:sesame@h/mcp?token=sesame',
  'u:sesame@h/mcp',
])('what cannot be reached at all is not told whole: %s', async (url) => {
  for (const target of [url, { url }]) {
    const error = await failureOf(target);
    expect(error.code).toBe('invalid-argument');
    expect(notified(error)).not.toContain('sesame');
  }
});

it('a whole header in the place of its name is not told whole', async () => {
  const error = await failureOf({ url: 'http://127.0.0.1:1/', headers: { 'Authorization: Bearer sesame': '' } });
  expect(error.message).toContain('"Authorization…" cannot be sent');
  expect(notified(error)).not.toContain('sesame');
});
