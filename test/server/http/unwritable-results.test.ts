/** Results that cannot be serialized: the client gets an internal error, and onWarning the reason. */

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
import { isSession } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const errorOf = ({ text }: Answer): unknown => JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '{}').error;

const internal = { code: -32603, message: 'Internal error' };

/** Earlier revisions have no structured content: it is omitted there. */
describe.each(['2025-06-18', '2025-11-25', alone])('a result at %s', (revision) => {
  /** Calls `odd`. Returns its error and the first warning, after checking that the server still answers. */
  async function called({ options, tools }: ReturnType<typeof ofMiddleware>) {
    const warned = deferred<Error>();
    const { url } = await serve({ onWarning: warned.resolve }, options, { tools });
    const session = !isSession(revision) ? undefined : await startSession(url, revision);
    const callTool = (name: string, args = {}): Promise<Answer> =>
      session === undefined ? send(url, loneCall(name, args)) : session.post(call(name, args));
    const error = errorOf(await callTool('odd'));
    expect((await callTool('echo', { text: 'fine' })).text).toContain('"text":"fine"');
    return { error, warning: await withTimeout(warned.promise, 'the warning') };
  }

  it.each(unwritable)('%s becomes an internal error, and onWarning gets the cause', async (_name, odd) => {
    const { error, warning } = await called(odd());
    expect(error).toEqual(internal);
    const details = { requestId: expect.any(String) };
    expect(warning).toMatchObject({ code: 'invalid-outgoing-message', cause: expect.any(Error), details });
  });

  it('whose content has a hole becomes an internal error, and onWarning gets the path', async () => {
    const { error, warning } = await called(ofMiddleware(() => ({ content: hole() })));
    expect(error).toEqual(internal);
    expect(warning.message).toContain('result.content[0]: expected');
  });

  it('that cannot be described is passed to onWarning with a general message', async () => {
    const undescribable = Object.assign(() => {}, { toString: failing });
    const { error, warning } = await called(ofMiddleware(() => ({ content: undescribable })));
    expect(error).toEqual(internal);
    expect(warning.message).toMatch(/^Invalid result of tools\/call \(request /);
  });

  it('whose toJSON returns undefined becomes an internal error', async () => {
    const { error } = await called(ofMiddleware(() => ({ content: [], toJSON: () => undefined })));
    expect(error).toEqual(internal);
  });
});

/** Like old versions of `on-headers`, which do not support flat arrays: every key of `headers` becomes a header. */
function watchHeaders(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number) => ServerResponse;
  response.writeHead = ((status: number, headers: Record<string, string>) => {
    for (const name of Object.keys(headers)) response.setHeader(name, headers[name] as string);
    return writeHead(status);
  }) as never;
}

describe('the headers', () => {
  it('of a response can be read by middleware that supports only objects', async () => {
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

  it('that notFound set before it failed are not sent with the 500', async () => {
    const notFound = (_request: unknown, response: ServerResponse): void => {
      response.setHeader('content-length', '4');
      response.setHeader('content-encoding', 'gzip');
      failing();
    };
    const { socket, received } = dial(await serve({ notFound }));
    socket.write(written({ method: 'GET', headers: { connection: 'close' } }, '/x'));
    const text = await received;
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(text).toMatch(/content-length: 15\r\n/i);
    expect(text).not.toMatch(/content-encoding/i);
    expect(text).toMatch(/\r\n\r\nInternal error\n$/);
  });
});
