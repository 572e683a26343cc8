/** What a browser is told before a page of another origin may send its headers. */
import { toFetchHandler } from 'tenon';
import { expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../../kit/http/sample-server.ts';

const origin = 'https://app.example';
const requested = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'traceparent, x-request-id, x-secret',
};
const wanted = ['traceparent', 'tracestate', 'baggage', 'x-request-id', 'authorization', 'last-event-id'];

const namesIn = (text: unknown): string[] => String(text).split(', ');

it.each(['/mcp', '/mcp/events', '/sse', '/messages'])(
  'headers that trace a request may be sent to %s, others not',
  async (path) => {
    const { url } = await serve({ allowedOrigins: [origin] });
    const { status, headers } = await send(new URL(path, url).href, { method: 'OPTIONS', headers: requested });
    expect(status).toBe(204);
    expect(namesIn(headers['access-control-allow-headers'])).toEqual(expect.arrayContaining(wanted));
    expect(namesIn(headers['access-control-allow-headers'])).not.toContain('x-secret');
  },
);

it('a handler of fetch says the same, and lets pages read when to come back', async () => {
  const handle = toFetchHandler(sampleServer().server, { allowedOrigins: [origin] });
  const { headers } = await handle(new Request('http://localhost/mcp', { method: 'OPTIONS', headers: requested }));
  expect(namesIn(headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(wanted));
  expect(namesIn(headers.get('access-control-expose-headers'))).toContain('retry-after');
});

const foreign = { ...requested, host: 'evil.example' };

it.each(['/mcp', '/mcp/events', '/sse', '/messages'])(
  'a preflight to a host that is not served is no preflight at %s, and shared with nobody',
  async (path) => {
    const { url } = await serve({ allowedOrigins: [origin] });
    const { status, headers } = await send(new URL(path, url).href, { method: 'OPTIONS', headers: foreign });
    // HTTP+SSE leaves verbs that it does not have to whoever serves other paths.
    expect(status).toBe(path.startsWith('/mcp') ? 403 : 404);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);

it('a handler of fetch refuses such a preflight as well', async () => {
  const handle = toFetchHandler(sampleServer().server, { allowedOrigins: [origin] });
  const response = await handle(new Request('http://evil.example/mcp', { method: 'OPTIONS', headers: requested }));
  expect(response.status).toBe(403);
  expect(response.headers.has('access-control-allow-origin')).toBe(false);
});

it.each([
  ['https://App.Example', origin],
  ['HTTPS://app.example:443', origin],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['Vscode-Webview://Abc', 'vscode-webview://abc'],
])('an origin that is written as %s is the one that browsers send as %s', async (written, sent) => {
  const { headers, body } = loneCall('echo', { text: 'x' });
  const post = { headers: { ...headers, origin: sent }, body };
  expect(await send((await serve({ allowedOrigins: [written] })).url, post)).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': sent },
  });
  expect((await send((await serve()).url, post)).status).toBe(403);
});

it('a page without an origin is admitted where `null` is listed, and reads nothing', async () => {
  const { headers, body } = loneCall('echo', { text: 'x' });
  const { url } = await serve({ allowedOrigins: ['null', origin] });
  const answer = await send(url, { headers: { ...headers, origin: 'null' }, body });
  expect(answer.status).toBe(200);
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  const preflight = await send(url, { method: 'OPTIONS', headers: { ...requested, origin: 'null' } });
  expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
});

it('credentials are never allowed, not even where every host is', async () => {
  const { url } = await serve({ allowedHosts: '*', allowedOrigins: [origin] });
  const preflight = await send(url, { method: 'OPTIONS', headers: requested });
  expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': origin });
  expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
});
