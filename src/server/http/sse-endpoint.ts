/** HTTP+SSE of the first revision: the client opens a stream, on which the server sends the URL to post messages to. */
import { toBase64Url } from '../../lib/text/base64.ts';
import { internalsOf, type ServerLike } from '../internals.ts';
import type { Serving } from '../kernel/serving.ts';
import { atExpiry } from '../ports/expiry.ts';
import type { ConnectionSettings } from '../transport/accept-options.ts';
import { serveTransport } from '../transport/serve-transport.ts';
import type { Gate } from './admission/gate/gate.ts';
import { refusedAs } from './admission/retry-after.ts';
import { createAdmit } from './admit.ts';
import { ClientPings, type PingedSessions, type PingOptions } from './client-pings.ts';
import { eventStreamType, type HttpRequest, type HttpResponder, refuse, serverClosing } from './message.ts';
import type { EventSinks } from './reply/event-output.ts';
import type { Dropped, HttpStats } from './reporting/dropped.ts';
import { createReporting, type Warn } from './reporting/warnings.ts';
import { type HttpSettings, messageLimitsOf, offeredHere } from './settings.ts';
import { SseStream } from './sse-stream.ts';
import { SseStreams } from './sse-streams.ts';

export interface SseEndpoint {
  /** Opens a stream. */
  open(request: HttpRequest, responder: HttpResponder): void;
  /** Receives a message for the stream whose key is in the URL. */
  post(request: HttpRequest, responder: HttpResponder, key: string): void;
  /** Pings the clients of all streams that have a session. */
  ping(options?: PingOptions): Promise<PingedSessions>;
  stats(): HttpStats;
  /** Ends the streams of a principal. */
  revoke(owner: string): void;
  /** Opens no more streams, sends the results of running calls, waits for them for `waitMs` at most, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

/** `messages` is the URL to post to, without the key of the stream; `gate` limits its streams and calls, `counts` counts dropped messages. */
export function createSseEndpoint(
  server: ServerLike,
  messages: string,
  gate: Gate,
  settings: HttpSettings,
  counts?: Dropped,
): SseEndpoint {
  const internals = internalsOf(server);
  const { serving } = internals;
  const offered = offeredHere(internals, settings);
  const { limits, timeouts } = settings;
  const streams = new SseStreams(gate);
  const { log, dropped, warn } = createReporting(settings, counts);
  const sinks: EventSinks = { open: new Set(), maxQueuedChars: limits.maxQueuedChars, warn };
  const shared = optionsOfAll(settings, dropped);
  const pings = new ClientPings(() => [...streams.all()], serving.deadlines, timeouts.pingIntervalMs);
  let keepAliveTimer: ReturnType<typeof setInterval> | undefined;
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let closed: Promise<void> | undefined;

  const logged = (request: HttpRequest, responder: HttpResponder): HttpResponder =>
    log?.logged(request, responder) ?? responder;

  const admit = createAdmit(settings, { gate, warn, log, guard: serving.guard });

  function openStream(request: HttpRequest, responder: HttpResponder): void {
    if (phase !== 'open') return refuse(responder, serverClosing);
    const caller = gate.callerOf(request);
    const refused = gate.takeSession(caller);
    if (refused !== undefined) return refuse(responder, refusedAs(refused));
    const key = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const stream = new SseStream(responder.stream(eventStreamType), sinks, caller);
    stream.sentBy(request);
    streams.add(key, stream);
    log?.sessionOpened(request, key);
    responder.onClose({
      closed() {
        streams.remove(key, stream);
        stream.stopWaiting();
        stream.clientClosed();
        log?.sessionEnded(key, stream.endReason);
        if (streams.size === 0) clearInterval(keepAliveTimer);
      },
    });
    stream.sendEvent('endpoint', `${messages}?session=${key}`);
    stream.connection = serveTransport(serving, offered, stream, { ...shared, ...ownOptions(stream, warn) }, caller);
    endAtExpiry(serving, stream);
    if (streams.size === 1) keepAliveTimer = setInterval(() => streams.upkeep(sinks), timeouts.keepAliveMs);
  }

  function receive(request: HttpRequest, responder: HttpResponder, key: string): void {
    // While draining, requests are refused on their streams, and responses are still received.
    if (phase === 'closed') return refuse(responder, serverClosing);
    const stream = streams.get(key, request.principal?.key);
    if (stream === undefined) return refuseUnknown(serving, request, responder);
    responder.send(202, {}, '');
    stream.sentBy(request);
    stream.receive(request.body);
  }

  async function close(waitMs: number | undefined): Promise<void> {
    phase = 'draining';
    pings.stop();
    await Promise.all([...streams.all()].map(({ connection }) => connection?.close(waitMs)));
    phase = 'closed';
    clearInterval(keepAliveTimer);
  }

  return {
    open: (request, responder) => admit(request, logged(request, responder), openStream),
    post(request, plain, key) {
      admit(request, logged(request, plain), (posted, responder) => receive(posted, responder, key));
    },
    ping: pings.ping,
    stats: () => ({ ...streams.counts(), streams: sinks.open.size, dropped: { ...dropped } }),
    revoke: (owner) => streams.revoke(owner),
    close: (waitMs) => (closed ??= close(waitMs)),
  };
}

/** Ends a stream when the credential of its last message expires: running calls finish first. */
function endAtExpiry(serving: Serving, stream: SseStream): void {
  const { principal } = stream;
  stream.stopWaiting = atExpiry(serving, principal, () => {
    if (stream.principal === principal) void stream.connection?.close(Number.POSITIVE_INFINITY);
    else endAtExpiry(serving, stream);
  });
}

/** The options of the connections of all streams. */
function optionsOfAll({ limits, timeouts, strict, tap }: HttpSettings, counts: Dropped): ConnectionSettings {
  return { transport: 'tcp', limits: messageLimitsOf(limits), timeouts, counts, strict, ...(tap && { tap }) };
}

/** The options of the connection of one stream. */
const ownOptions = (stream: SseStream, warn: Warn): ConnectionSettings => ({
  onWarning: (error) => stream.isWorthWarning(error) && warn(error),
  currentPrincipal: () => stream.principal,
  currentAddress: () => stream.address,
});

/** Also for the stream of another principal: the two cannot be distinguished. */
function refuseUnknown({ guard }: Serving, { clientAddress }: HttpRequest, responder: HttpResponder): void {
  guard?.countRefusal(clientAddress, 'stream-not-found');
  refuse(responder, { status: 404, text: 'Stream not found' });
}
