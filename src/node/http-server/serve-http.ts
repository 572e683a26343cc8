/** Serves over HTTP on a port of this machine: loopback only, unless told otherwise. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { HttpEndpoint } from '../../server/http/endpoint.ts';
import type { Server } from '../../server/server.ts';
import { admittingOwn, reachable } from './address.ts';
import { holdBody, releaseBody } from './body.ts';
import { closeOnSignals } from './close-on-signals.ts';
import { createNodeHandler, type NodeHandlerOptions } from './handler.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { checkListening, pathsOf } from './options.ts';
import { eventsUnder, pathOf } from './request-target.ts';
import { createNodeSse, type SsePaths } from './sse.ts';
import { type Connections, endStalledReaders } from './stalled-readers.ts';

export interface ServeHttpOptions extends NodeHandlerOptions {
  /** Default 3000; 0 takes any that is free. */
  readonly port?: number;
  /** The address to listen at. Default 127.0.0.1: nobody else can reach it. Requests may be sent to it by its number, not by a name. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** The paths of HTTP+SSE, which clients of the first revision speak. Default `/sse` and `/messages`; `false` serves none. */
  readonly sse?: SsePaths | false;
  /** Key and certificate, to serve HTTPS. */
  readonly tls?: TlsOptions;
  /** Answers requests for other paths; 404 by default. */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** How long calls under way may take to end when it closes. Default 5 s. */
  readonly graceMs?: number;
  /** How long the headers of a request may take to arrive, then 408; over HTTPS also how long the handshake may take. Default 10 s. */
  readonly headersTimeoutMs?: number;
  /** How long a whole request may take to arrive, then 408. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** How long a reader may take nothing of what waits for it; then its connection is ended. Default 30 s. */
  readonly stallTimeoutMs?: number;
  /** Whether SIGTERM and SIGINT close the service and then end the process, a second one at once. Default false. */
  readonly signals?: boolean;
}

export interface HttpService {
  readonly url: string;
  readonly port: number;
  readonly counts: HttpEndpoint['counts'];
  readonly dropped: HttpEndpoint['dropped'];
  /** Lets no more requests in, sends the answers of calls under way, ends all streams, then frees the port. */
  close(): Promise<void>;
}

export async function serveHttp(server: Pick<Server, 'accept'>, given: ServeHttpOptions = {}): Promise<HttpService> {
  checkListening(server, given);
  const { path, sse: paths } = pathsOf(given);
  const { host = '127.0.0.1', tls, graceMs = 5000, stallTimeoutMs = 30_000 } = given;
  const options = admittingOwn(host, given);
  const handler = createNodeHandler(server, options);
  const otherwise = options.otherwise ?? notFound;
  const sse =
    paths === false
      ? undefined
      : createNodeSse(server, paths, options, handler.endpoint.dropped, handler.endpoint.room);
  const ours = new Set([path, eventsUnder(path)]);
  const { endpoint } = handler;
  const failed = failing(endpoint.fault);
  const route: Handle = (request, response) => {
    const { url = '' } = request;
    if (url === path || ours.has(pathOf(url))) return handler(request, response);
    if (sse?.handle(request, response) === true) return;
    releaseBody(request);
    // What it does to an answer that it has ended comes as an event, which ends the process when nobody hears it.
    response.on('error', (cause) => failed(response, cause));
    return otherwise(request, response);
  };
  const listener = await listening(options, guarded(route, failed)).catch(async (cause: unknown) => {
    await Promise.all([endpoint.close(0), sse?.close(0)]);
    throw cause;
  });
  answerMalformedRequests(listener, endpoint.turnedAway);
  const { port: taken } = listener.address() as AddressInfo;
  const connections = endStalledReaders(listener, stallTimeoutMs, endpoint.fault);
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    // The port stays open until then: answers to questions of calls under way come by connections of their own.
    const until = performance.now() + graceMs;
    await Promise.all([handler.endpoint.close(graceMs), sse?.close(graceMs)]);
    // Node takes a connection for idle whose answer is written and not yet taken.
    await connections.flushed(until - performance.now());
    await closeListener(listener, connections);
    connections.stopChecking();
    stopHearing?.();
  }
  const close = (): Promise<void> => (closing ??= end());
  const stopHearing = options.signals === true ? closeOnSignals(close) : undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${reachable(host)}:${taken}${path}`,
    port: taken,
    counts: () => together(handler.endpoint.counts(), sse?.counts()),
    dropped: handler.endpoint.dropped,
    close,
  };
}

type Counts = ReturnType<HttpEndpoint['counts']>;

const together = (one: Counts, other: Counts | undefined): Counts =>
  other === undefined
    ? one
    : {
        sessions: one.sessions + other.sessions,
        streams: one.streams + other.streams,
        running: one.running + other.running,
      };

type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

type Failed = (response: ServerResponse, cause: unknown) => void;

const failing =
  (fault: (error: Error) => void): Failed =>
  (response, cause) => {
    const outcome = endFailed(response);
    fault(new TenonError('listener-failed', `A request made its handler fail${outcome}.`, { cause }));
  };

/** No request may end the process, whatever it makes fail, at once or later. */
function guarded(handle: Handle, failed: Failed): Handle {
  return (request, response) => {
    try {
      const later = handle(request, response);
      if (later !== undefined) Promise.resolve(later).catch((cause: unknown) => failed(response, cause));
    } catch (cause) {
      failed(response, cause);
    }
  };
}

/** Ends a response whose handler has failed, as far as it can be ended; says how. */
function endFailed(response: ServerResponse): string {
  if (response.writableEnded) return ' when it had answered it';
  if (response.destroyed || response.req.socket.destroyed) return ' when its connection had ended';
  try {
    if (!response.headersSent) {
      // What was said of the body that did not come is not so of this one, and its words may be what failed.
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      const text = 'Something went wrong\n';
      const headers = { 'content-type': 'text/plain', 'content-length': text.length };
      response.writeHead(500, 'Internal Server Error', headers).end(text);
      return '; it was answered with 500';
    }
  } catch {
    // The handler has left a response that cannot be written.
  }
  response.destroy();
  return '; its connection was ended';
}

/** Settles when requests can come. */
async function listening(options: ServeHttpOptions, handle: Handle): Promise<HttpServer> {
  const { port = 3000, host = '127.0.0.1' } = options;
  const listener = await createListener(options, handle);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(host, port, cause)));
    listener.listen(port, host, resolve);
  });
  return listener;
}

/**
 * Slow senders of headers and bodies are let go, so that they cannot hold all connections. Node's modules are loaded
 * here: a server on standard streams would start later for them.
 */
async function createListener(options: ServeHttpOptions, handle: Handle): Promise<HttpServer> {
  const { requestTimeoutMs: requestTimeout = 30_000, headersTimeoutMs = 10_000, tls } = options;
  const headersTimeout = Math.min(headersTimeoutMs, requestTimeout);
  const connectionsCheckingInterval = Math.ceil(headersTimeout / 2);
  const settings = { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: 16 * 1024 };
  const hold: Handle = (request, response) => {
    holdBody(request, response);
    handle(request, response);
  };
  if (tls === undefined) return (await import('node:http')).createServer(settings, handle).on('checkContinue', hold);
  const { createServer } = await import('node:https');
  try {
    return createServer({ ...settings, handshakeTimeout: headersTimeout, ...tls }, handle).on('checkContinue', hold);
  } catch (cause) {
    const text = `HTTPS cannot be served: ${(cause as Error).message}.`;
    throw new TenonError('not-listening', text, { hint: 'Give a key and its certificate as PEM in `tls`.', cause });
  }
}

/** Who has not sent a whole request by now has a second, then all connections end. */
async function closeListener(listener: HttpServer, { destroyAll: cutAll }: Connections): Promise<void> {
  const closed = new Promise((resolve) => listener.close(resolve));
  listener.closeIdleConnections();
  const bound = setTimeout(cutAll, 1000);
  await closed;
  clearTimeout(bound);
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
