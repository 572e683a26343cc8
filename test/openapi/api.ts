/** An HTTP API on this machine that records its requests, and a document for it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type OpenApiDocument, type OpenApiServerOptions, openapiServer } from '../../src/openapi/index.ts';
import { createTestConnection, type TestConnectionOptions } from '../../src/test/index.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Api {
  readonly url: string;
  readonly received: Received[];
}

export type Answer = (request: Received, response: ServerResponse) => void;

export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

export async function startApi(answer: Answer = (_, response) => json(response, { ok: true })): Promise<Api> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('latin1') };
      received.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

type Parts = Readonly<Record<string, unknown>>;

/** A document of these paths. */
export const documentOf = (paths: Parts, parts: Parts = {}): OpenApiDocument & Parts => ({
  openapi: '3.1.0',
  info: { title: 'Test API', version: '1.0.0' },
  ...parts,
  paths,
});

export const loopback = ['127.0.0.0/8'];

/** A server of the document for the API, and a client of it. */
export async function connected(
  document: OpenApiDocument,
  options: OpenApiServerOptions,
  connection: TestConnectionOptions = {},
) {
  const server = openapiServer(document, { allowedNetworks: loopback, ...options });
  const { client, close } = await createTestConnection(server, connection);
  onTestFinished(close);
  const call = (name: string, args: Record<string, unknown> = {}) => client.tools.call(name, args);
  const textOf = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await call(name, args);
    const [first] = content;
    return first?.type === 'text' ? first.text : JSON.stringify(first);
  };
  return { server, client, call, textOf };
}

export const parameter = (name: string, place: string, more: Parts = {}): Parts => ({
  name,
  in: place,
  required: place === 'path',
  schema: { type: 'string' },
  ...more,
});
