/** What cannot be written as it should: whoever asked is answered all the same, and whoever listens hears why. */

import { createServer as createListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'tenon';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { alone, call, loneCall, startSession } from '../../kit/http/messages.ts';
import { type Answer, send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { failing, hole, ofMiddleware, unwritable } from '../../kit/samples/unwritable-results.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const errorOf = ({ text }: Answer): unknown => JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}').error;

const internal = { code: -32603, message: 'Internal error' };

/** Those before have no structured content: it is left out of what they are sent. */
describe.each(['2025-06-18', '2025-11-25', alone])('a result at %s', (revision) => {
  /** Calls `odd`; gives the error it was answered by and the first fault, once the server is seen to serve on. */
  async function called({ options, tools }: ReturnType<typeof ofMiddleware>) {
    const received = deferred<Error>();
    const { url } = await serve({ onWarning: received.resolve }, options, { tools });
    const session = revision === alone ? undefined : await startSession(url, revision);
    const ask = (name: string, args = {}): Promise<Answer> =>
      session === undefined ? send(url, loneCall(name, args)) : session.post(call(name, args));
    const error = errorOf(await ask('odd'));
    expect((await ask('echo', { text: 'fine' })).text).toContain('"text":"fine"');
    return { error, fault: await withTimeout(received.promise, 'the fault') };
  }

  it.each(unwritable)('%s is answered by an internal error, and told with its cause', async (_what, odd) => {
    const { error, fault } = await called(odd());
    expect(error).toEqual(internal);
    const details = { requestId: expect.any(String) };
    expect(fault).toMatchObject({ code: 'invalid-outgoing-message', cause: expect.any(Error), details });
  });

  it('whose content has a hole is answered by an internal error, and told with the place', async () => {
    const { error, fault } = await called(ofMiddleware(() => ({ content: hole() })));
    expect(error).toEqual(internal);
    expect(fault.message).toContain('result.content[0]: expected');
  });

  it('that cannot even be explained is told by the plain refusal', async () => {
    const mute = Object.assign(() => {}, { toString: failing });
    const { error, fault } = await called(ofMiddleware(() => ({ content: mute })));
    expect(error).toEqual(internal);
    expect(fault.message).toMatch(/^Invalid result of tools\/call \(request /);
  });

  it('that writes itself as nothing is answered by an internal error', async () => {
    const { error } = await called(ofMiddleware(() => ({ content: [], toJSON: () => undefined })));
    expect(error).toEqual(internal);
  });
});

/** As `on-headers` did before it knew flat lists: all that is given becomes a header, by its key. */
function watchHeaders(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number) => ServerResponse;
  response.writeHead = ((status: number, headers: Record<string, string>) => {
    for (const name of Object.keys(headers)) response.setHeader(name, headers[name] as string);
    return writeHead(status);
  }) as never;
}

describe('the headers', () => {
  it('of an answer can be read by middleware that knows objects only', async () => {
    const handler = toNodeHandler(sampleServer().server);
    const listener = createListener((request, response) => {
      watchHeaders(response);
      handler(request, response);
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
    const { headers, text } = await send(url, loneCall('echo', { text: 'x' }));
    listener.close();
    await handler.close(0);
    const length = String(Buffer.byteLength(text));
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': length });
    expect(headers).not.toHaveProperty('0');
  });

  it('that a handler for other paths set before it failed are not those of the 500', async () => {
    const otherwise = (_request: unknown, response: ServerResponse): void => {
      response.setHeader('content-length', '4');
      response.setHeader('content-encoding', 'gzip');
      failing();
    };
    const { socket, received } = dial(await serve({ notFound: otherwise }));
    socket.write(written({ method: 'GET', headers: { connection: 'close' } }, '/x'));
    const text = await received;
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(text).toMatch(/content-length: 15\r\n/i);
    expect(text).not.toMatch(/content-encoding/i);
    expect(text).toMatch(/\r\n\r\nInternal error\n$/);
  });
});
