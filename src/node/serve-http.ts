/** Serves over HTTP on a port of this machine: loopback only, unless told otherwise. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TenonError } from '../jsonrpc/errors.ts';
import type { HttpEndpoint } from '../server/http/endpoint.ts';
import type { Server } from '../server/server.ts';
import { type NodeHandlerOptions, toNodeHandler } from './http-handler.ts';
import { createNodeSse, type SsePaths } from './http-sse.ts';

export interface ServeHttpOptions extends NodeHandlerOptions {
  /** Default 3000; 0 takes any that is free. */
  readonly port?: number;
  /** The address to listen at. Default 127.0.0.1: nobody else can reach it. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** The paths of HTTP+SSE, which clients of the first revision speak. Default `/sse` and `/messages`; `false` serves none. */
  readonly sse?: SsePaths | false;
  /** Key and certificate, to serve HTTPS. */
  readonly tls?: TlsOptions;
  /** Answers requests for other paths; 404 by default. */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void;
  /** How long calls under way may take to end when it closes. Default 5 s. */
  readonly graceMs?: number;
}

export interface HttpService {
  readonly url: string;
  readonly port: number;
  readonly counts: HttpEndpoint['counts'];
  /** Lets no more requests in, sends the answers of calls under way, ends all streams, then frees the port. */
  close(): Promise<void>;
}

/** Slow senders of headers and bodies are let go, so that they cannot hold all connections. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;

export async function serveHttp(server: Pick<Server, 'accept'>, options: ServeHttpOptions = {}): Promise<HttpService> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', tls, graceMs = 5000 } = options;
  const handler = toNodeHandler(server, options);
  const otherwise = options.otherwise ?? notFound;
  const { sse: paths = { stream: '/sse', messages: '/messages' } } = options;
  const sse = paths === false ? undefined : createNodeSse(server, paths, options);
  const events = `${path}/events`;
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '' } = request;
    if (url === path || url === events || url.startsWith(`${path}?`)) handler(request, response);
    else if (sse?.handle(request, response) !== true) otherwise(request, response);
  };
  const settings = { headersTimeout, requestTimeout, maxHeaderSize: 16 * 1024 };
  const listener =
    tls === undefined ? createServer(settings, handle) : createTlsServer({ ...settings, ...tls }, handle);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(host, port, cause)));
    listener.listen(port, host, resolve);
  });
  const { port: taken } = listener.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${taken}${path}`,
    port: taken,
    counts: handler.endpoint.counts,
    async close() {
      // The port stays open until then: answers to questions of calls under way come by connections of their own.
      await Promise.all([handler.endpoint.close(graceMs), sse?.close(graceMs)]);
      const closed = new Promise((resolve) => listener.close(resolve));
      listener.closeIdleConnections();
      const bound = setTimeout(() => listener.closeAllConnections(), 1000);
      await closed;
      clearTimeout(bound);
    },
  };
}

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end('Not found\n');
}

function notListening(host: string, port: number, cause: NodeJS.ErrnoException): TenonError {
  const hint =
    cause.code === 'EADDRINUSE' ? 'Choose another port; 0 takes any that is free.' : 'Choose another address.';
  return new TenonError('not-listening', `Nothing can be served at ${host}:${port}: ${cause.message}.`, {
    hint,
    cause,
  });
}
