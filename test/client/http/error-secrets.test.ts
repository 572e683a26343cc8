/** Errors over HTTP name the URL without its credentials; requests are sent with the whole URL. */
import { inspect } from 'node:util';
import { connect, type TenonError } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { alone, answer, type Received, refuse, scripted, stream } from '../../kit/http/scripted-server.ts';
import { failureOf } from './broken-targets.ts';

const query = '?token=sesame&sesame';
const shownQuery = '?token=…&…';

/** All parts of an error that may be printed. */
const printed = (error: TenonError): string =>
  JSON.stringify([error.message, error.hint, error.details, error.stack, String(error.cause)]);

interface Row {
  readonly name: string;
  readonly code: string;
  readonly script: (received: Received) => unknown;
}

const rows: Row[] = [
  { name: 'refuses', code: 'unauthorized', script: ({ response }) => refuse(response, 401) },
  { name: 'closes the connection', code: 'connection-closed', script: ({ response }) => response.destroy() },
  { name: 'sends no body', code: 'connection-closed', script: ({ response }) => response.writeHead(202).end() },
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
    name: 'supports another revision',
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

it.each(rows)('the error of a server that $name has its URL without secrets', async ({ code, script }) => {
  const server = await scripted(script);
  const error = await failureOf(`${server.url.replace('http://', 'http://sesame:sesame@')}${query}`);
  expect(error).toMatchObject({ code, details: { url: `${server.url}${shownQuery}` } });
  expect(error.message.split(/:? /)).toContain(`${server.url}${shownQuery}`);
  expect(printed(error)).not.toContain('sesame');
  expect(server.received[0]?.path).toBe(`/mcp${query}`);
});

it('the error of a server that answers with an error has its URL without secrets', async () => {
  const server = await scripted(({ response }) => refuse(response, 200, { code: -32603, message: 'Broken' }));
  const error = await failureOf(`${server.url}${query}`);
  expect(error.message).toContain(`${server.url}${shownQuery} answered by an error`);
  expect(printed(error)).not.toContain('sesame');
});

it('the error of a server that never answers has its URL without secrets', async () => {
  const clock = createFakeClock();
  const server = await scripted(() => {});
  const options = { protocolVersions: [alone], timeoutMs: 5000, ...withClock(clock) } as const;
  const failure = failureOf(`${server.url}${query}`, options);
  await server.until(() => true);
  clock.advance(5000);
  const error = await failure;
  expect(error).toMatchObject({ code: 'timeout', details: { url: `${server.url}${shownQuery}` } });
  expect(printed(error)).not.toContain('sesame');
});

it('the target of a redirect is shown without secrets', async () => {
  const location = 'https://u:sesame@elsewhere.example/mcp?token=sesame#sesame';
  const server = await scripted(({ response }) => refuse(response, 308, undefined, { location }));
  const error = await failureOf(server.url);
  expect(error).toMatchObject({
    code: 'redirect-not-followed',
    details: { location: 'https://…@elsewhere.example/mcp?token=…#…' },
  });
  expect(printed(error)).not.toContain('sesame');
});

it('the message endpoint of an HTTP+SSE server is shown without secrets', async () => {
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
  expect(printed(error)).not.toContain('sesame');
});

it('the error of a later call has the URL without secrets', async () => {
  const server = await scripted(({ message, response }) =>
    message.method === 'tools/call' ? refuse(response, 403) : false,
  );
  const client = await connect(`${server.url}${query}`, { reconnect: false });
  onTestFinished(() => client.close());
  const error = (await client.tools.call('look').catch((failed) => failed)) as TenonError;
  expect(error).toMatchObject({ code: 'forbidden', details: { url: `${server.url}${shownQuery}` } });
  expect(printed(error)).not.toContain('sesame');
});

it.each([
  'https://u:sesame@exa mple/?token=sesame',
  'https://exa mple/?token=sesame',
  'https://h:sesame/mcp',
  'ws://u:sesame@h/mcp?token=sesame',
  'u:sesame@h/mcp',
])('an invalid URL is not shown whole: %s', async (url) => {
  for (const target of [url, { url }]) {
    const error = await failureOf(target);
    expect(error.code).toBe('invalid-argument');
    expect(printed(error)).not.toContain('sesame');
  }
});

it('a header line in place of a header name is not shown whole', async () => {
  const error = await failureOf({ url: 'http://127.0.0.1:1/', headers: { 'Authorization: Bearer sesame': '' } });
  expect(error.message).toContain('"Authorization…" cannot be sent');
  expect(printed(error)).not.toContain('sesame');
});

it('the id of a session is in no error, no warning and no representation of the client [s-http-52]', async () => {
  const server = await scripted(({ message, response }) => {
    if (message.method === 'tools/call') return refuse(response, 403);
    if (message.method !== 'initialize') return false;
    const { protocolVersion } = message.params as { protocolVersion: string };
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    return answer(response, message.id, result, { 'mcp-session-id': 'sesame' });
  });
  const warnings: TenonError[] = [];
  const onWarning = (error: Error): unknown => warnings.push(error as TenonError);
  const client = await connect(server.url, { protocolVersions: ['2025-11-25'], reconnect: false, onWarning });
  onTestFinished(() => client.close());
  const error = (await client.tools.call('look').catch((failed) => failed)) as TenonError;
  expect(error.code).toBe('forbidden');
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('sesame');
  const everything = [printed(error), ...warnings.map(printed), JSON.stringify(client.stats()), inspect(client)].join();
  expect(everything).not.toContain('sesame');
});
