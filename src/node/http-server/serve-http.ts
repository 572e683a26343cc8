/** Serves a server over HTTP on a port of this machine; by default on loopback only. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsPath } from '../../server/http/admission/founding-clients.ts';
import { documentsOf } from '../../server/http/admission/public-documents.ts';
import type { PingedSessions, PingOptions } from '../../server/http/client-pings.ts';
import type { HttpStats } from '../../server/http/reporting/dropped.ts';
import type { RevokedPrincipal } from '../../server/http/session/revocation.ts';
import type { ServerLike } from '../../server/internals.ts';
import type { Server } from '../../server/server.ts';
import type { Store } from '../../store/store.ts';
import { closeOnSignals } from '../process/close-on-signals.ts';
import { checkNode } from '../process/node-version.ts';
import { isTaken } from '../process/taken-servers.ts';
import { openServiceStore, type ServiceStore } from '../service-store.ts';
import { admittingOwn, reachable } from './address.ts';
import { releaseBody } from './body.ts';
import { createOnFailure, handleSafely } from './failed-requests.ts';
import { createNodeHandler } from './handler.ts';
import { closeListener, type Handle, listen, stopAccepting } from './listener.ts';
import type { ServeHttpOptions } from './options.ts';
import { warnOfPlainHttp } from './other-machines.ts';
import { answerRejectedRequests } from './rejected-requests.ts';
import { pathOf } from './request-target.ts';
import { readServeHttpOptions, type ServeHttpSettings } from './settings.ts';
import { createNodeSse } from './sse.ts';
import { endStalledReaders } from './stalled-readers.ts';
import { closeIfUnfinished } from './unfinished-requests.ts';

/** A server that listens on a port. */
export interface HttpService {
  /** The URL of the endpoint, as clients on this machine reach it. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The store in use, if there is one: `store.durability` is what it survives. */
  readonly store: Store | undefined;
  /** Current numbers: sessions, streams, active calls, and dropped messages. */
  stats(): HttpStats;
  /**
   * Pings the clients of sessions that listen for messages of the server. Sessions only; clients of HTTP+SSE are not
   * pinged.
   */
  ping(options?: PingOptions): Promise<PingedSessions>;
  /**
   * Ends the sessions, streams, running calls and tasks of a principal, at all nodes that share the store. `principal` is its
   * key, or issuer and subject. It does not refuse later requests: `authenticate` does.
   */
  revoke(principal: RevokedPrincipal): void;
  /** Rejects new requests, waits for running calls (`timeouts.shutdownMs`), sends their results, closes all streams, frees the port, and closes a store that was opened by its URL. */
  close(): Promise<void>;
}

/**
 * Serves a server over HTTP: every protocol version at one URL. Resolves when it listens; rejects with `listen-failed`
 * if it cannot, and with `invalid-argument` for a wrong option.
 *
 * ```ts
 * const service = await serveHttp(server, { port: 3000, closeOnSignals: true });
 * console.log(service.url); // http://127.0.0.1:3000/mcp
 * ```
 *
 * To be reached from other machines, set the address to listen on, the names that clients use, who may use the server,
 * and TLS:
 *
 * ```ts
 * await serveHttp(server, { host: '0.0.0.0', allowedHosts: ['mcp.example.com'], authenticate, tls: { key, cert } });
 * ```
 */
export async function serveHttp(
  server: Pick<Server, 'accept'> & ServerLike,
  options: ServeHttpOptions = {},
): Promise<HttpService> {
  checkNode();
  if (isTaken({ server, over: 'http', options })) return new Promise(() => {});
  const settings = readServeHttpOptions(server, options);
  const service = await openServiceStore(settings.store);
  try {
    return await listenWith(server, settings, service);
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function listenWith(
  server: ServerLike,
  settings: ServeHttpSettings,
  service: ServiceStore,
): Promise<HttpService> {
  const { path, legacySse: ssePaths, host, tls, timeouts } = settings;
  const { shutdownMs, stallMs } = timeouts;
  const { store: _, ...others } = admittingOwn(host, settings);
  const options = { ...others, ...(service.store && { store: service.store }) };
  const { handle, endpoint } = createNodeHandler(server, options);
  service.onError = endpoint.warn;
  const sse = ssePaths === false ? undefined : createNodeSse(server, ssePaths, options, endpoint);
  const otherwise = options.notFound ?? notFound;
  const ownPaths = new Set([path, eventsPath(path), ...(documentsOf(options)?.keys() ?? [])]);
  const routes = options.authenticate?.routes;
  const onFailure = createOnFailure(endpoint.warn);
  const route: Handle = (request, response) => {
    const asked = pathOf(request.url ?? '');
    if (asked === path || ownPaths.has(asked) || routes?.has(asked) === true) return handle(request, response);
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
  warnOfPlainHttp(options, endpoint.warn);
  answerRejectedRequests(listener, endpoint.logRefused);
  const { port } = listener.address() as AddressInfo;
  const connections = endStalledReaders(listener, stallMs, endpoint.warn);
  let closing: Promise<void> | undefined;

  async function shutDown(): Promise<void> {
    const until = performance.now() + shutdownMs;
    // Otherwise the port stays open: the client's answers to calls in progress come by connections of their own.
    const hasSseStreams = (sse?.stats().streams ?? 0) > 0;
    const isReplaced = !hasSseStreams && isOneOfSeveral(settings, service.store);
    if (isReplaced) await stopAccepting(listener);
    await Promise.all([endpoint.close(shutdownMs), sse?.close(shutdownMs)]);
    // Node counts a connection as idle whose answer is written but not yet read.
    await connections.flushed(until - performance.now());
    // What the balancer still sends on connections that it holds is answered, until it has closed them.
    if (isReplaced) await connections.ended(until - performance.now());
    await closeListener(listener, connections);
    connections.stopChecking();
    await service.close();
    ignoreSignals?.();
  }
  const close = (): Promise<void> => (closing ??= shutDown());
  const ignoreSignals = options.closeOnSignals ? closeOnSignals(close) : undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${reachable(host)}:${port}${path}`,
    port,
    store: service.store,
    ping: async (own) => sumOfPings(await Promise.all([endpoint.ping(own), sse?.ping(own)])),
    revoke: endpoint.revoke,
    stats: () => sum(endpoint.stats(), sse?.stats()),
    close,
  };
}

/** Whether a balancer sends to other nodes, which share the store, what this one does not accept. */
const isOneOfSeveral = ({ trustedProxies = [] }: ServeHttpSettings, store: Store | undefined): boolean =>
  store !== undefined && store.name !== 'memory' && trustedProxies.length > 0;

/** The endpoint and HTTP+SSE count calls and dropped messages together. */
const sum = (one: HttpStats, other: HttpStats | undefined): HttpStats =>
  other === undefined ? one : { ...one, sessions: one.sessions + other.sessions, streams: one.streams + other.streams };

const sumOfPings = ([one, other]: readonly [PingedSessions, PingedSessions | undefined]): PingedSessions =>
  other === undefined
    ? one
    : { answered: one.answered + other.answered, unanswered: one.unanswered + other.unanswered };

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  closeIfUnfinished(response);
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end('Not found\n');
}
