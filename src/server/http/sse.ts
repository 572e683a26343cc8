/** HTTP+SSE of the first revision: the client opens a stream, on which the server sends the URL to post messages to. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { toBase64Url } from '../../protocol/base64.ts';
import { formatEvent } from '../../transport/sse.ts';
import type { Transport, TransportListener } from '../../transport/transport.ts';
import { deliverClosed, deliverFrame } from '../../transport/transport.ts';
import { internalsOf, type ServerLike } from '../internals.ts';
import type { Serving } from '../kernel/serving.ts';
import { atExpiry } from '../ports/expiry.ts';
import { principalRevoked, serverCloses } from '../ports/link.ts';
import type { Principal } from '../ports/principal.ts';
import { type AcceptOptions, type ServerConnection, serveTransport } from '../transport/serve-transport.ts';
import type { CallerShare } from './admission/gate/caller-share.ts';
import type { Holding } from './admission/gate/fair-pool.ts';
import type { Gate, SessionHolder } from './admission/gate/gate.ts';
import { refusedAs } from './admission/retry-after.ts';
import { createAdmit } from './admit.ts';
import {
  type EventSink,
  eventStreamType,
  type HttpRequest,
  type HttpResponder,
  refuse,
  serverClosing,
} from './message.ts';
import { completeSettings, type HttpOptions, messageLimitsOf } from './options.ts';
import { type EventSinks, keepAlive, retryHint, writeTo } from './reply/event-output.ts';
import type { Dropped, HttpStats } from './reporting/dropped.ts';
import { createReporting, type Warn } from './reporting/warnings.ts';

export interface SseEndpoint {
  /** Opens a stream. */
  open(request: HttpRequest, responder: HttpResponder): void;
  /** Receives a message for the stream whose key is in the URL. */
  post(request: HttpRequest, responder: HttpResponder, key: string): void;
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
  options: HttpOptions<never> = {},
  counts?: Dropped,
): SseEndpoint {
  const { serving, offered } = internalsOf(server);
  const { limits, timeouts } = completeSettings(options);
  const streams = new SseStreams(gate);
  const { log, dropped, warn } = createReporting(options, counts);
  const sinks: EventSinks = { open: new Set(), maxQueuedChars: limits.maxQueuedChars, warn };
  const shared = optionsOfAll(options, dropped);
  let keepAliveTimer: ReturnType<typeof setInterval> | undefined;
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let closed: Promise<void> | undefined;

  const logged = (request: HttpRequest, responder: HttpResponder): HttpResponder =>
    log?.logged(request, responder) ?? responder;

  const admit = createAdmit(options, { gate, warn, log, guard: serving.guard });

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
    await Promise.all([...streams.all()].map(({ connection }) => connection?.close(waitMs)));
    phase = 'closed';
    clearInterval(keepAliveTimer);
  }

  return {
    open: (request, responder) => admit(request, logged(request, responder), openStream),
    post(request, plain, key) {
      admit(request, logged(request, plain), (posted, responder) => receive(posted, responder, key));
    },
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
function optionsOfAll(options: HttpOptions<never>, counts: Dropped): AcceptOptions {
  const { limits, timeouts } = completeSettings(options);
  return { transport: 'tcp', limits: messageLimitsOf(limits), timeouts, counts, strict: options.strict ?? false };
}

/** The options of the connection of one stream. */
const ownOptions = (stream: SseStream, warn: Warn): AcceptOptions => ({
  onWarning: (error) => stream.isWorthWarning(error) && warn(error),
  currentPrincipal: () => stream.principal,
  currentAddress: () => stream.address,
});

/** Also for the stream of another principal: the two cannot be distinguished. */
function refuseUnknown({ guard }: Serving, { clientAddress }: HttpRequest, responder: HttpResponder): void {
  guard?.countRefusal(clientAddress, 'stream-not-found');
  refuse(responder, { status: 404, text: 'Stream not found' });
}

/** How long a stream may be open whose client posts nothing. */
const unusedMs = 60_000;

/** The open streams by their keys. Each has a slot of the gate; those without a message make room for others, the oldest first. */
class SseStreams implements SessionHolder {
  readonly #gate: Gate;
  readonly #streams = new Map<string, SseStream>();

  constructor(gate: Gate) {
    this.#gate = gate;
    gate.join(this);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Calls of all transports wait at one gate. */
  counts(): Pick<HttpStats, 'sessions' | 'activeCalls' | 'waitingCalls'> {
    const activeCalls = [...this.all()].reduce((sum, stream) => sum + stream.activeCalls, 0);
    return { sessions: this.size, activeCalls, waitingCalls: this.#gate.waitingCalls };
  }

  all(): Iterable<SseStream> {
    return this.#streams.values();
  }

  /** The stream of this name, if it is that of the owner. */
  get(key: string, owner: string | undefined): SseStream | undefined {
    const stream = this.#streams.get(key);
    return stream?.caller.owner === owner ? stream : undefined;
  }

  /** Its slot has been taken. */
  add(key: string, stream: SseStream): void {
    this.#streams.set(key, stream);
  }

  remove(key: string, { caller }: SseStream): void {
    if (this.#streams.delete(key)) this.#gate.releaseSession(caller);
  }

  evictUnused(callers: Holding): boolean {
    for (const [key, stream] of this.#streams)
      if (!stream.isUsed && stream.caller.sessions.isWithin(callers)) return this.#evict(key, stream);
    return false;
  }

  /** Ends streams that wait for a first message for too long, and sends comments on those that are silent. */
  upkeep(sinks: EventSinks): void {
    const before = Date.now() - unusedMs;
    for (const [key, stream] of this.#streams) if (!stream.isUsed && stream.opened < before) this.#evict(key, stream);
    keepAlive(sinks);
  }

  revoke(owner: string): void {
    for (const [key, stream] of this.#streams)
      if (stream.caller.owner === owner) this.#evict(key, stream, principalRevoked);
  }

  /** Its slot is free at once, not when the connection has closed. */
  #evict(key: string, stream: SseStream, reason = 'it was not used'): true {
    this.remove(key, stream);
    stream.evict(reason);
    return true;
  }
}

type State = { at: 'idle' } | { at: 'open'; listener: TransportListener } | { at: 'closed' };

/** One stream as a transport: it receives POSTs and sends events. */
class SseStream implements Transport {
  connection: ServerConnection | undefined;
  readonly caller: CallerShare;
  /** Of the last message: each is a request of its own. */
  principal: Principal | undefined;
  address: string | undefined;
  /** Stops waiting for its credential to expire. */
  stopWaiting = (): void => {};
  readonly opened = Date.now();
  /** Whether its client has posted a message. */
  isUsed = false;
  /** Why the stream has ended, once it has. */
  endReason = 'the client disconnected';
  readonly #sink: EventSink;
  readonly #sinks: EventSinks;
  #state: State = { at: 'idle' };

  constructor(sink: EventSink, sinks: EventSinks, caller: CallerShare) {
    this.#sink = sink;
    this.#sinks = sinks;
    this.caller = caller;
    sinks.open.add(sink);
  }

  get activeCalls(): number {
    return this.connection?.stats().activeCalls ?? 0;
  }

  get state(): Transport['state'] {
    return this.#state.at;
  }

  sentBy({ principal, clientAddress }: HttpRequest): void {
    this.principal = principal;
    this.address = clientAddress;
  }

  open(listener: TransportListener): void {
    if (this.#state.at !== 'idle') throw new TenonError('already-open', 'This stream has a listener already.');
    this.#state = { at: 'open', listener };
  }

  send(frame: string): void {
    if (this.#state.at === 'closed') throw new TenonError('connection-closed', 'The stream is closed.');
    this.sendEvent('message', frame);
  }

  sendEvent(event: string, data: string): void {
    if (!writeTo(this.#sink, formatEvent({ event, data }), this.#sinks)) this.#end('the client did not read');
  }

  receive(text: string): void {
    this.isUsed = true;
    if (this.#state.at === 'open') deliverFrame(this.#state.listener, text);
  }

  close(reason?: Error): void {
    if (this.#state.at !== 'closed') this.#sink.write(retryHint);
    this.#end(serverCloses, reason);
  }

  evict(reason: string): void {
    this.#end(reason);
  }

  /** The client has disconnected. */
  clientClosed(): void {
    this.#end(this.endReason);
  }

  /** After the stream has closed, `connection-closed` is not reported. */
  isWorthWarning(error: Error): boolean {
    return this.state !== 'closed' || !(error instanceof TenonError) || error.code !== 'connection-closed';
  }

  #end(endReason: string, reason?: Error): void {
    const state = this.#state;
    if (state.at === 'closed') return;
    this.#state = { at: 'closed' };
    this.endReason = endReason;
    this.#sinks.open.delete(this.#sink);
    this.#sink.end();
    if (state.at === 'open') queueMicrotask(() => deliverClosed(state.listener, reason));
  }
}
