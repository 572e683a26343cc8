/** Serves a server over HTTP on a port of this machine; by default on loopback only. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { eventsPath } from '../../server/http/admission/founding-clients.ts';
import type { HttpEndpoint } from '../../server/http/endpoint.ts';
import type { ServerLike } from '../../server/internals.ts';
import type { Server } from '../../server/server.ts';
import { admittingOwn, reachable } from './address.ts';
import { releaseBody } from './body.ts';
import { closeOnSignals } from './close-on-signals.ts';
import { createOnFailure, handleSafely } from './failed-requests.ts';
import { createNodeHandler, type NodeHandlerOptions } from './handler.ts';
import { closeListener, type Handle, listen } from './listener.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { checkListening, pathsOf } from './options.ts';
import { pathOf } from './request-target.ts';
import { createNodeSse, type SsePaths } from './sse.ts';
import { endStalledReaders } from './stalled-readers.ts';

export interface ServeHttpOptions extends NodeHandlerOptions {
  /** Default 3000; 0 takes any that is free. */
  readonly port?: number;
  /** The address to listen at. Default 127.0.0.1: nobody else can reach it. Requests may be sent to it by its number, not by a name. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** The paths of HTTP+SSE, which clients of the first revision speak. Default `/sse` and `/messages`; `false` serves none. */
  readonly legacySse?: SsePaths | false;
  /** Key and certificate, to serve HTTPS. */
  readonly tls?: TlsOptions;
  /** Answers requests for other paths; 404 by default. */
  readonly notFound?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** How long calls under way may take to end when it closes. Default 5 s. */
  readonly graceMs?: number;
  /** How long the headers of a request may take to arrive, then 408; over HTTPS also how long the handshake may take. Default 10 s. */
  readonly headersTimeoutMs?: number;
  /** How long a whole request may take to arrive, then 408. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** How long a reader may take nothing of what waits for it; then its connection is ended. Default 30 s. */
  readonly stallTimeoutMs?: number;
  /** Whether SIGTERM and SIGINT close the service and then end the process, a second one at once. Default false. */
  readonly closeOnSignals?: boolean;
}

export interface HttpService {
  readonly url: string;
  readonly port: number;
  readonly counts: HttpEndpoint['counts'];
  readonly dropped: HttpEndpoint['dropped'];
  /** Lets no more requests in, sends the answers of calls under way, ends all streams, then frees the port. */
  close(): Promise<void>;
}

export async function serveHttp(
  server: Pick<Server, 'accept'> & ServerLike,
  given: ServeHttpOptions = {},
): Promise<HttpService> {
  checkListening(server, given);
  const { path, legacySse: ssePaths } = pathsOf(given);
  const { host = '127.0.0.1', tls, graceMs = 5000, stallTimeoutMs = 30_000 } = given;
  const options = admittingOwn(host, given);
  const handler = createNodeHandler(server, options);
  const { endpoint } = handler;
  const sse =
    ssePaths === false ? undefined : createNodeSse(server, ssePaths, options, endpoint.dropped, endpoint.capacity);
  const otherwise = options.notFound ?? notFound;
  const ownPaths = new Set([path, eventsPath(path)]);
  const onFailure = createOnFailure(endpoint.warn);
  const route: Handle = (request, response) => {
    const { url = '' } = request;
    if (url === path || ownPaths.has(pathOf(url))) return handler(request, response);
    if (sse?.handle(request, response) === true) return;
    releaseBody(request);
    // Writing to a response that has ended emits an error event, which ends the process without a listener.
    response.on('error', (cause) => onFailure(response, cause));
    return otherwise(request, response);
  };
  const listener = await listen(options, handleSafely(route, onFailure)).catch(async (cause: unknown) => {
    await Promise.all([endpoint.close(0), sse?.close(0)]);
    throw cause;
  });
  answerMalformedRequests(listener, endpoint.logRefused);
  const { port } = listener.address() as AddressInfo;
  const connections = endStalledReaders(listener, stallTimeoutMs, endpoint.warn);
  let closing: Promise<void> | undefined;

  async function shutDown(): Promise<void> {
    // The port stays open meanwhile: the client's answers to calls in progress come by connections of their own.
    const until = performance.now() + graceMs;
    await Promise.all([endpoint.close(graceMs), sse?.close(graceMs)]);
    // Node counts a connection as idle whose answer is written but not yet read.
    await connections.flushed(until - performance.now());
    await closeListener(listener, connections);
    connections.stopChecking();
    ignoreSignals?.();
  }
  const close = (): Promise<void> => (closing ??= shutDown());
  const ignoreSignals = options.closeOnSignals === true ? closeOnSignals(close) : undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${reachable(host)}:${port}${path}`,
    port,
    counts: () => sum(endpoint.counts(), sse?.counts()),
    dropped: endpoint.dropped,
    close,
  };
}

type Counts = ReturnType<HttpEndpoint['counts']>;

const sum = (one: Counts, other: Counts | undefined): Counts =>
  other === undefined
    ? one
    : {
        sessions: one.sessions + other.sessions,
        streams: one.streams + other.streams,
        running: one.running + other.running,
      };

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end('Not found\n');
}
