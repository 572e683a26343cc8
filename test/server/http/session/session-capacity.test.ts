/** Sessions of both transports count towards one limit. */
import { expect, it } from 'vitest';
import { serveHttp } from '../../../../src/node/http-server/serve-http.ts';
import { createEndpoint } from '../../../../src/server/http/endpoint.ts';
import { FetchResponder } from '../../../../src/server/http/fetch-responder.ts';
import type { HttpRequest } from '../../../../src/server/http/message.ts';
import type { HttpOptions } from '../../../../src/server/http/options.ts';
import { createSseEndpoint } from '../../../../src/server/http/sse.ts';
import { initialize } from '../../../kit/http/messages.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';

type Named = Readonly<Record<string, string>>;

/** A Streamable HTTP endpoint and an HTTP+SSE endpoint with one shared capacity. */
function bothTransports(options: HttpOptions) {
  const { server } = sampleServer();
  const endpoint = createEndpoint(server, options);
  const sse = createSseEndpoint(server, '/messages', options, undefined, endpoint.capacity);
  const requestOf = (method: string, headers: Named, body = ''): HttpRequest => ({
    method,
    header: (name) => headers[name],
    body,
    principal: undefined,
  });
  const responder = (client = new AbortController()) =>
    new FetchResponder({ signal: client.signal, headers: new Headers() }, endpoint.queued);
  return {
    async openSession(): Promise<number> {
      const answer = responder();
      const body = JSON.stringify(initialize('2025-11-25'));
      endpoint.handle(requestOf('POST', { 'content-type': 'application/json' }, body), answer);
      return (await answer.response).status;
    },
    async openStream(client?: AbortController): Promise<number> {
      const answer = responder(client);
      sse.open(requestOf('GET', { accept: 'text/event-stream' }), answer);
      return (await answer.response).status;
    },
    close: () => Promise.all([endpoint.close(0), sse.close(0)]),
  };
}

it('no HTTP+SSE stream is opened if sessions use all the capacity', async () => {
  const { openSession, openStream, close } = bothTransports({ sessions: { maxCount: 2 } });
  expect([await openSession(), await openStream(), await openStream(), await openSession()]).toEqual([
    200, 200, 503, 503,
  ]);
  await close();
});

it('no session starts if HTTP+SSE streams use all the capacity, until one disconnects', async () => {
  const { openSession, openStream, close } = bothTransports({ sessions: { maxCount: 1 } });
  const client = new AbortController();
  expect([await openStream(client), await openSession()]).toEqual([200, 503]);
  client.abort();
  expect(await openSession()).toBe(200);
  await close();
});

it('both transports share the capacity over real sockets', async () => {
  const service = await serveHttp(sampleServer().server, { port: 0, sessions: { maxCount: 1 } });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sessionResponse = await fetch(service.url, {
    method: 'POST',
    headers,
    body: JSON.stringify(initialize('2025-11-25')),
  });
  const streamResponse = await fetch(service.url.replace('/mcp', '/sse'), {
    headers: { accept: 'text/event-stream' },
  });
  expect([sessionResponse.status, streamResponse.status]).toEqual([200, 503]);
  await Promise.all([sessionResponse.text(), streamResponse.text()]);
  await service.close();
});
