/** HTTP+SSE of the first revision: one stream out, on which the server says where messages are to be posted. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { toBase64Url } from '../../protocol/base64.ts';
import type { Channel, FrameListener } from '../../transport/channel.ts';
import { deliverClosed, deliverFrame } from '../../transport/channel.ts';
import { formatEvent } from '../../transport/sse.ts';
import type { Connection, ServeOptions } from '../channel/serve-channel.ts';
import { serverCloses } from '../ports/link.ts';
import { createAdmit } from './admit.ts';
import type { HttpEndpoint } from './endpoint.ts';
import {
  type EventSink,
  eventStreamType,
  type HttpRequest,
  type HttpResponder,
  type Refused,
  refuse,
  serverClosing,
} from './message.ts';
import { defaultSettings, type HttpOptions } from './options.ts';
import { type EventSinks, keepAlive, retryHint, writeTo } from './reply/event-output.ts';
import { type Dropped, nothingDropped } from './reporting/dropped.ts';
import { createEndpointLog } from './reporting/endpoint-log.ts';
import { createWarn } from './reporting/warnings.ts';
import { SessionCapacity } from './session/session-capacity.ts';

/** What serves a channel. */
interface Accepting {
  accept(channel: Channel, options?: ServeOptions): Connection;
}

export interface SseEndpoint {
  /** Opens a stream. */
  open(request: HttpRequest, responder: HttpResponder): void;
  /** Takes a message for the stream whose key stands in the address. */
  post(request: HttpRequest, responder: HttpResponder, key: string): void;
  readonly counts: HttpEndpoint['counts'];
  /** Lets no more streams in, sends the answers of calls under way, waits for them no longer than given, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

/** `messages` is the address to post to, to which the key of the stream is added; `dropped` counts what is dropped, `capacity` is there for streams. */
export function createSseEndpoint(
  server: Accepting,
  messages: string,
  options: HttpOptions = {},
  dropped: Dropped = nothingDropped(),
  capacity: SessionCapacity = new SessionCapacity(options.maxSessions ?? defaultSettings.maxSessions),
): SseEndpoint {
  const { maxWaiting, keepAliveMs } = { ...defaultSettings, ...options };
  const streams = new Map<string, SseStream>();
  capacity.join({ count: () => streams.size });
  const log = createEndpointLog(options.logger);
  const warn = createWarn(options.fault, log, dropped);
  const sinks: EventSinks = { open: new Set(), maxWaiting, warn };
  let watch: ReturnType<typeof setInterval> | undefined;
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let closed: Promise<void> | undefined;

  const followed = (request: HttpRequest, responder: HttpResponder): HttpResponder =>
    log?.logged(request, responder) ?? responder;

  const admit = createAdmit(options, warn);

  function begin(request: HttpRequest, responder: HttpResponder): void {
    if (phase !== 'open') return refuse(responder, serverClosing);
    if (!capacity.isLeft()) return refuse(responder, full);
    const key = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const stream = new SseStream(responder.stream(eventStreamType), sinks, request.principal);
    streams.set(key, stream);
    log?.sessionOpened(request, key);
    responder.onClose({
      closed() {
        streams.delete(key);
        stream.left();
        log?.sessionEnded(key, stream.ending);
        if (streams.size === 0) clearInterval(watch);
      },
    });
    stream.tell('endpoint', `${messages}?session=${key}`);
    const { limits, strict, answerTimeoutMs } = options;
    stream.connection = server.accept(stream, {
      transport: 'tcp',
      ...(limits && { limits }),
      ...(strict !== undefined && { strict }),
      ...(answerTimeoutMs !== undefined && { answerTimeoutMs }),
      fault: (error) => stream.isNews(error) && warn(error),
      counts: dropped,
      ...(request.principal !== undefined && { principal: request.principal }),
    });
    if (streams.size === 1) watch = setInterval(() => keepAlive(sinks), keepAliveMs);
  }

  function take(request: HttpRequest, responder: HttpResponder, key: string): void {
    // Until then requests are refused on their streams, and answers to questions are taken.
    if (phase === 'closed') return refuse(responder, serverClosing);
    const stream = streams.get(key);
    if (stream === undefined || stream.principal !== request.principal) return refuse(responder, missing);
    responder.send(202, {}, '');
    stream.take(request.body);
  }

  async function close(waitMs: number | undefined): Promise<void> {
    phase = 'draining';
    await Promise.all([...streams.values()].map(({ connection }) => connection?.close(waitMs)));
    phase = 'closed';
    clearInterval(watch);
  }

  return {
    open: (request, responder) => admit(request, followed(request, responder), begin),
    post(request, plain, key) {
      admit(request, followed(request, plain), (posted, responder) => take(posted, responder, key));
    },
    counts: () => ({
      sessions: streams.size,
      streams: sinks.open.size,
      running: [...streams.values()].reduce((sum, { connection }) => sum + (connection?.running ?? 0), 0),
    }),
    close: (waitMs) => (closed ??= close(waitMs)),
  };
}

const full: Refused = { status: 503, text: 'Too many streams are open', headers: { 'retry-after': '1' } };
const missing: Refused = { status: 404, text: 'There is no such stream' };

type Side = { at: 'idle' } | { at: 'open'; listener: FrameListener } | { at: 'closed' };

/** One stream as a channel: what is posted comes in, what is sent goes out as events. */
class SseStream implements Channel {
  connection: Connection | undefined;
  readonly principal: string | undefined;
  /** Why it has ended, once it has. */
  ending = 'its client has gone';
  readonly #sink: EventSink;
  readonly #sinks: EventSinks;
  #side: Side = { at: 'idle' };

  constructor(sink: EventSink, sinks: EventSinks, principal: string | undefined) {
    this.#sink = sink;
    this.#sinks = sinks;
    this.principal = principal;
    sinks.open.add(sink);
  }

  get state(): Channel['state'] {
    return this.#side.at;
  }

  open(listener: FrameListener): void {
    if (this.#side.at !== 'idle') throw new TenonError('already-open', 'This stream has a listener already.');
    this.#side = { at: 'open', listener };
  }

  send(frame: string): void {
    if (this.#side.at === 'closed') throw new TenonError('connection-closed', 'The stream is closed.');
    this.tell('message', frame);
  }

  tell(event: string, data: string): void {
    if (!writeTo(this.#sink, formatEvent({ event, data }), this.#sinks)) this.#end('its client did not read');
  }

  take(text: string): void {
    if (this.#side.at === 'open') deliverFrame(this.#side.listener, text);
  }

  close(reason?: Error): void {
    if (this.#side.at !== 'closed') this.#sink.write(retryHint);
    this.#end(serverCloses, reason);
  }

  /** The reader has gone. */
  left(): void {
    this.#end(this.ending);
  }

  /** What finds no stream any more says nothing but that it has ended, which was told once. */
  isNews(error: Error): boolean {
    return this.state !== 'closed' || !(error instanceof TenonError) || error.code !== 'connection-closed';
  }

  #end(ending: string, reason?: Error): void {
    const side = this.#side;
    if (side.at === 'closed') return;
    this.#side = { at: 'closed' };
    this.ending = ending;
    this.#sinks.open.delete(this.#sink);
    this.#sink.end();
    if (side.at === 'open') queueMicrotask(() => deliverClosed(side.listener, reason));
  }
}
