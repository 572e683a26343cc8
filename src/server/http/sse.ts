/** HTTP+SSE of the first revision: the client opens a stream, on which the server sends the URL to post messages to. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { toBase64Url } from '../../protocol/base64.ts';
import { formatEvent } from '../../transport/sse.ts';
import type { Transport, TransportListener } from '../../transport/transport.ts';
import { deliverClosed, deliverFrame } from '../../transport/transport.ts';
import { serverCloses } from '../ports/link.ts';
import type { AcceptOptions, ServerConnection } from '../transport/serve-transport.ts';
import { createAdmit } from './admit.ts';
import {
  type EventSink,
  eventStreamType,
  type HttpRequest,
  type HttpResponder,
  type Refused,
  refuse,
  serverClosing,
} from './message.ts';
import { completeSettings, type HttpOptions, messageLimitsOf } from './options.ts';
import { type EventSinks, keepAlive, retryHint, writeTo } from './reply/event-output.ts';
import type { Dropped, HttpStats } from './reporting/dropped.ts';
import { createReporting } from './reporting/warnings.ts';
import { SessionCapacity } from './session/session-capacity.ts';

/** What HTTP+SSE needs of a server. */
interface Accepting {
  accept(transport: Transport, options?: AcceptOptions): ServerConnection;
}

export interface SseEndpoint {
  /** Opens a stream. */
  open(request: HttpRequest, responder: HttpResponder): void;
  /** Receives a message for the stream whose key is in the URL. */
  post(request: HttpRequest, responder: HttpResponder, key: string): void;
  stats(): HttpStats;
  /** Opens no more streams, sends the results of running calls, waits for them for `waitMs` at most, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

/** `messages` is the URL to post to, without the key of the stream; `counts` counts dropped messages, `capacity` limits the streams. */
export function createSseEndpoint(
  server: Accepting,
  messages: string,
  options: HttpOptions<never> = {},
  counts?: Dropped,
  capacity: SessionCapacity = new SessionCapacity(completeSettings(options).sessions.maxCount),
): SseEndpoint {
  const { limits, timeouts } = completeSettings(options);
  const streams = new Map<string, SseStream>();
  capacity.join({ count: () => streams.size });
  const { log, dropped, warn } = createReporting(options, counts);
  const sinks: EventSinks = { open: new Set(), maxQueuedChars: limits.maxQueuedChars, warn };
  let keepAliveTimer: ReturnType<typeof setInterval> | undefined;
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let closed: Promise<void> | undefined;

  const logged = (request: HttpRequest, responder: HttpResponder): HttpResponder =>
    log?.logged(request, responder) ?? responder;

  const admit = createAdmit(options, warn, log);

  function openStream(request: HttpRequest, responder: HttpResponder): void {
    if (phase !== 'open') return refuse(responder, serverClosing);
    if (!capacity.isLeft()) return refuse(responder, full);
    const key = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const stream = new SseStream(responder.stream(eventStreamType), sinks, request.principal);
    streams.set(key, stream);
    log?.sessionOpened(request, key);
    responder.onClose({
      closed() {
        streams.delete(key);
        stream.clientClosed();
        log?.sessionEnded(key, stream.endReason);
        if (streams.size === 0) clearInterval(keepAliveTimer);
      },
    });
    stream.sendEvent('endpoint', `${messages}?session=${key}`);
    stream.connection = server.accept(stream, {
      transport: 'tcp',
      limits: messageLimitsOf(limits),
      strict: options.strict ?? false,
      timeouts,
      onWarning: (error) => stream.isWorthWarning(error) && warn(error),
      counts: dropped,
      ...(request.principal !== undefined && { principal: request.principal }),
    });
    if (streams.size === 1) keepAliveTimer = setInterval(() => keepAlive(sinks), timeouts.keepAliveMs);
  }

  function receive(request: HttpRequest, responder: HttpResponder, key: string): void {
    // While draining, requests are refused on their streams, and responses are still received.
    if (phase === 'closed') return refuse(responder, serverClosing);
    const stream = streams.get(key);
    if (stream === undefined || stream.principal !== request.principal) return refuse(responder, missing);
    responder.send(202, {}, '');
    stream.receive(request.body);
  }

  async function close(waitMs: number | undefined): Promise<void> {
    phase = 'draining';
    await Promise.all([...streams.values()].map(({ connection }) => connection?.close(waitMs)));
    phase = 'closed';
    clearInterval(keepAliveTimer);
  }

  return {
    open: (request, responder) => admit(request, logged(request, responder), openStream),
    post(request, plain, key) {
      admit(request, logged(request, plain), (posted, responder) => receive(posted, responder, key));
    },
    stats: () => ({
      sessions: streams.size,
      streams: sinks.open.size,
      activeCalls: [...streams.values()].reduce((sum, { activeCalls }) => sum + activeCalls, 0),
      dropped: { ...dropped },
    }),
    close: (waitMs) => (closed ??= close(waitMs)),
  };
}

const full: Refused = { status: 503, text: 'Too many streams are open', headers: { 'retry-after': '1' } };
const missing: Refused = { status: 404, text: 'Stream not found' };

type State = { at: 'idle' } | { at: 'open'; listener: TransportListener } | { at: 'closed' };

/** One stream as a transport: it receives POSTs and sends events. */
class SseStream implements Transport {
  connection: ServerConnection | undefined;
  readonly principal: string | undefined;
  /** Why the stream has ended, once it has. */
  endReason = 'the client disconnected';
  readonly #sink: EventSink;
  readonly #sinks: EventSinks;
  #state: State = { at: 'idle' };

  constructor(sink: EventSink, sinks: EventSinks, principal: string | undefined) {
    this.#sink = sink;
    this.#sinks = sinks;
    this.principal = principal;
    sinks.open.add(sink);
  }

  get activeCalls(): number {
    return this.connection?.stats().activeCalls ?? 0;
  }

  get state(): Transport['state'] {
    return this.#state.at;
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
    if (this.#state.at === 'open') deliverFrame(this.#state.listener, text);
  }

  close(reason?: Error): void {
    if (this.#state.at !== 'closed') this.#sink.write(retryHint);
    this.#end(serverCloses, reason);
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
