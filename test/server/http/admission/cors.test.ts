/** CORS: preflights and response headers for pages of other origins. */
import { toFetchHandler } from 'tenon';
import { expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../../kit/http/sample-server.ts';

const origin = 'https://app.example';
const preflightHeaders = {
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'traceparent, x-request-id, x-secret',
};
const wanted = [
  'traceparent',
  'tracestate',
  'baggage',
  'x-request-id',
  'authorization',
  'last-event-id',
  'dpop',
  'x-api-key',
];

const namesIn = (text: unknown): string[] => String(text).split(', ');

it.each(['/mcp', '/mcp/events', '/sse', '/messages'])(
  'a preflight to %s allows trace headers, and no unknown ones',
  async (path) => {
    const { url } = await serve({ allowedOrigins: [origin] });
    const { status, headers } = await send(new URL(path, url).href, { method: 'OPTIONS', headers: preflightHeaders });
    expect(status).toBe(204);
    expect(namesIn(headers['access-control-allow-headers'])).toEqual(expect.arrayContaining(wanted));
    expect(namesIn(headers['access-control-allow-headers'])).not.toContain('x-secret');
  },
);

it('a fetch handler allows the same headers, and exposes retry-after', async () => {
  const handle = toFetchHandler(sampleServer().server, { allowedOrigins: [origin] });
  const { headers } = await handle(
    new Request('http://localhost/mcp', { method: 'OPTIONS', headers: preflightHeaders }),
  );
  expect(namesIn(headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(wanted));
  expect(namesIn(headers.get('access-control-expose-headers'))).toEqual(
    expect.arrayContaining(['retry-after', 'www-authenticate', 'dpop-nonce']),
  );
});

const foreign = { ...preflightHeaders, host: 'evil.example' };

it.each(['/mcp', '/mcp/events', '/sse', '/messages'])(
  'a preflight to %s for a host that is not allowed is rejected without CORS headers',
  async (path) => {
    const { url } = await serve({ allowedOrigins: [origin] });
    const { status, headers } = await send(new URL(path, url).href, { method: 'OPTIONS', headers: foreign });
    // HTTP+SSE does not handle OPTIONS for such a host: the request falls through to the other paths.
    expect(status).toBe(path.startsWith('/mcp') ? 403 : 404);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);

it('a fetch handler rejects such a preflight as well', async () => {
  const handle = toFetchHandler(sampleServer().server, { allowedOrigins: [origin] });
  const response = await handle(
    new Request('http://evil.example/mcp', { method: 'OPTIONS', headers: preflightHeaders }),
  );
  expect(response.status).toBe(403);
  expect(response.headers.has('access-control-allow-origin')).toBe(false);
});

it.each([
  ['https://App.Example', origin],
  ['HTTPS://app.example:443', origin],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['Vscode-Webview://Abc', 'vscode-webview://abc'],
])('the allowed origin %s matches the header that browsers send: %s', async (written, sent) => {
  const { headers, body } = loneCall('echo', { text: 'x' });
  const post = { headers: { ...headers, origin: sent }, body };
  expect(await send((await serve({ allowedOrigins: [written] })).url, post)).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': sent },
  });
  expect((await send((await serve()).url, post)).status).toBe(403);
});

it('a page with the origin `null` is admitted if `null` is listed, but cannot read the response', async () => {
  const { headers, body } = loneCall('echo', { text: 'x' });
  const { url } = await serve({ allowedOrigins: ['null', origin] });
  const answer = await send(url, { headers: { ...headers, origin: 'null' }, body });
  expect(answer.status).toBe(200);
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  const preflight = await send(url, { method: 'OPTIONS', headers: { ...preflightHeaders, origin: 'null' } });
  expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
});

it('credentials are never allowed, even if every host is', async () => {
  const { url } = await serve({ allowedHosts: '*', allowedOrigins: [origin] });
  const preflight = await send(url, { method: 'OPTIONS', headers: preflightHeaders });
  expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': origin });
  expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
});
