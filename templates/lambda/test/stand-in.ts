/** A stand-in for the service: the global `awslambda` of the runtime, and a function URL on this machine. It is not Lambda. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FunctionUrlEvent } from '../src/function-url.ts';

type Handler = (event: FunctionUrlEvent, output: Writable) => Promise<void>;

/** Set it before the function is imported. */
export function setAwslambda(): void {
  globalThis.awslambda = {
    streamifyResponse: (handler) => handler,
    HttpResponseStream: {
      from: (output, { statusCode, headers }) => (output as ServerResponse).writeHead(statusCode, headers),
    },
  };
}

/** The event of a function URL, version 2.0: what is used of it. */
function toEvent({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): FunctionUrlEvent {
  const { pathname, search } = new URL(url, 'http://localhost');
  return {
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: headers as Record<string, string>,
    requestContext: { http: { method } },
    ...(body !== '' && { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== '',
  };
}

export async function startFunctionUrl(handler: unknown): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    await (handler as Handler)(toEvent(request, await text(request)), response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}
