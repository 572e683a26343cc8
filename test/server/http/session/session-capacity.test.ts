/** Sessions of both transports are counted together: one bound holds for them all. */
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

/** What both say of themselves, one after the other. */
function bothSides(options: HttpOptions) {
  const { server } = sampleServer();
  const endpoint = createEndpoint(server, options);
  const sse = createSseEndpoint(server, '/messages', options, undefined, endpoint.capacity);
  const requested = (method: string, headers: Named, body = ''): HttpRequest => ({
    method,
    header: (name) => headers[name],
    body,
    principal: undefined,
  });
  const responder = (gone = new AbortController()) =>
    new FetchResponder({ signal: gone.signal, headers: new Headers() });
  return {
    async greet(): Promise<number> {
      const answer = responder();
      const body = JSON.stringify(initialize('2025-11-25'));
      endpoint.handle(requested('POST', { 'content-type': 'application/json' }, body), answer);
      return (await answer.response).status;
    },
    async stream(gone?: AbortController): Promise<number> {
      const answer = responder(gone);
      sse.open(requested('GET', { accept: 'text/event-stream' }), answer);
      return (await answer.response).status;
    },
    close: () => Promise.all([endpoint.close(0), sse.close(0)]),
  };
}

it('where sessions have taken all the capacity, no stream of HTTP+SSE is opened', async () => {
  const { greet, stream, close } = bothSides({ sessions: { maxCount: 2 } });
  expect([await greet(), await stream(), await stream(), await greet()]).toEqual([200, 200, 503, 503]);
  await close();
});

it('where streams of HTTP+SSE have taken all the capacity, no session begins until one leaves', async () => {
  const { greet, stream, close } = bothSides({ sessions: { maxCount: 1 } });
  const gone = new AbortController();
  expect([await stream(gone), await greet()]).toEqual([200, 503]);
  gone.abort();
  expect(await greet()).toBe(200);
  await close();
});

it('so it is over real sockets', async () => {
  const service = await serveHttp(sampleServer().server, { port: 0, sessions: { maxCount: 1 } });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const greeted = await fetch(service.url, { method: 'POST', headers, body: JSON.stringify(initialize('2025-11-25')) });
  const streamed = await fetch(service.url.replace('/mcp', '/sse'), { headers: { accept: 'text/event-stream' } });
  expect([greeted.status, streamed.status]).toEqual([200, 503]);
  await Promise.all([greeted.text(), streamed.text()]);
  await service.close();
});
