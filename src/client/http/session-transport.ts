/** The transport of sessions: each message is a POST, and other messages of the server come on a GET stream. */

import { IdTable } from '../../jsonrpc/id-table.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline } from '../../lib/time/deadlines.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ServerSentEvent } from '../../transport/sse.ts';
import { Throttle } from '../retry/throttle.ts';
import { EventStream, type StreamPorts } from './event-stream.ts';
import { rpcErrorIn } from './port/body.ts';
import { noAnswer, sessionLost, statusFailure } from './port/failures.ts';
import { type HttpAddress, type HttpHeaders, headerOf } from './port/port.ts';
import { Post, type PostPorts } from './post.ts';
import type { ResumePoint } from './post-response.ts';
import { endSession, isSessionForgotten } from './session-end.ts';
import { SseTransport } from './sse-transport.ts';
import { batchContext, batchMethod, type HttpContext, type HttpTransport, withUserHeaders } from './transport.ts';

interface HeldMessage {
  readonly frame: string;
  readonly message: Message;
}

type State =
  /** `initialize` has not been answered yet. */
  | { readonly at: 'initializing' }
  /** `initialize` was answered. Requests are held back until `notifications/initialized` is accepted. */
  | {
      readonly at: 'initialized';
      readonly session: string | undefined;
      readonly held: HeldMessage[];
      listening?: OpeningStream;
    }
  /** `stream` is absent after the server has rejected it. */
  | { readonly at: 'open'; readonly session: string | undefined; stream: EventStream | undefined }
  | { readonly at: 'closed' };

/** The GET stream, and how long requests wait for it. */
interface OpeningStream {
  readonly stream: EventStream;
  readonly deadline: Deadline;
}

const initializing: State = { at: 'initializing' };
const closed: State = { at: 'closed' };

/** How often it is reported that notifications may have been missed: a server may end its stream again and again. */
const missedPauseMs = 5000;
/** How long requests wait for the stream. Some servers drop notifications before it is open; others never answer. */
const streamTimeoutMs = 250;
/** Statuses of servers that have only HTTP+SSE. */
const otherTransport: ReadonlySet<number> = new Set([400, 404, 405]);

export class SessionTransport implements HttpTransport, PostPorts, StreamPorts {
  readonly #context: HttpContext;
  readonly #pending = new IdTable<{ abort(): void }>();
  #revision: Revision;
  #state: State = initializing;
  /** Whether a request was served in this session. */
  #hasServed = false;
  /** Whether the GET stream was open once. */
  #hasStreamed = false;
  /** Whether the stream is that of a server of the founding documents, below the path of its messages. */
  #isBelow = false;
  /** Created on first use. */
  #missed: Throttle | undefined;
  #sessionCheck: Promise<boolean> | undefined;

  constructor(context: HttpContext, revision: Revision) {
    this.#context = context;
    this.#revision = revision;
  }

  setRevision(revision: Revision): void {
    this.#revision = revision;
  }

  send(frame: string, message: Message | undefined): void {
    const isRequest = message !== undefined && 'method' in message && 'id' in message;
    if (isRequest && message.method === 'initialize') this.#restart();
    else if (isRequest && this.#state.at === 'initialized') return void this.#state.held.push({ frame, message });
    const post = new Post(this.#context, this, frame, message);
    if (post.id !== undefined) this.#pending.set(post.id, post);
    post.start();
  }

  /** One post, whose id is that of no request: a request that is cancelled must not abort the others. */
  sendBatch(frame: string, ids: readonly RequestId[]): void {
    const id = `batch ${ids[0]}`;
    const post = new Post(batchContext(this.#context, ids), this, frame, { jsonrpc: '2.0', id, method: batchMethod });
    this.#pending.set(id, post);
    post.start();
  }

  get unsentRequests(): RequestId[] {
    if (this.#state.at !== 'initialized') return [];
    return this.#state.held.flatMap(({ message }) => ('id' in message && message.id != null ? [message.id] : []));
  }

  /** A repeated `initialize` starts over. */
  #restart(): void {
    this.#closeStream();
    this.#state = initializing;
    this.#hasServed = false;
    this.#isBelow = false;
  }

  get #session(): string | undefined {
    const state = this.#state;
    return state.at === 'initialized' || state.at === 'open' ? state.session : undefined;
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    const session = this.#session;
    if (session !== undefined) headers['mcp-session-id'] = session;
    if (this.#state.at !== 'initializing' && this.#revision.http.versionHeader)
      headers['mcp-protocol-version'] = this.#revision.id;
    return withUserHeaders(this.#context, headers);
  }

  accepted({ id, method }: Post, headers: HttpHeaders): void {
    if (id !== undefined && this.#state.at === 'open') this.#hasServed = true;
    if (method !== 'initialize' || this.#state.at !== 'initializing') return;
    const session = headerOf(headers, 'mcp-session-id');
    this.#state = { at: 'initialized', session: session === '' ? undefined : session, held: [] };
  }

  refused(post: Post, status: number, headers: HttpHeaders, body: string): boolean {
    const { id, method, address } = post;
    if (method === 'initialize' && id !== undefined) {
      if (!otherTransport.has(status) || rpcErrorIn(body) !== undefined) return false;
      const otherwise = statusFailure(address, status, headers, body);
      this.#pending.set(id, new SseTransport(this.#context, post, otherwise));
      return true;
    }
    if (this.#session === undefined) return false;
    if (status === 400 && this.#hasServed) return this.#checkRefusedSession(post, status, headers, body);
    if (status !== 404) return false;
    this.#sessionForgotten(post);
    return true;
  }

  /** Some servers reject an unknown session like an invalid request, so the session itself is checked. */
  #checkRefusedSession(post: Post, status: number, headers: HttpHeaders, body: string): true {
    this.#checkSession((isForgotten) => {
      if (isForgotten) return this.#sessionForgotten(post);
      this.finished(post);
      post.refuse(status, headers, body);
    });
    return true;
  }

  #checkSession(onResult: (isForgotten: boolean) => void): void {
    this.#sessionCheck ??= isSessionForgotten(this.#context, this.headers()).finally(() => {
      this.#sessionCheck = undefined;
    });
    void this.#sessionCheck.then((isForgotten) => (this.#state.at === 'closed' ? undefined : onResult(isForgotten)));
  }

  #sessionForgotten({ id, address }: Post): void {
    const lost = sessionLost(address);
    // This request was certainly not executed; the others may have been.
    if (id !== undefined) this.#context.failed(id, lost);
    this.#context.close(lost);
  }

  resume(post: Post, from: ResumePoint): boolean {
    const { id } = post;
    if (id === undefined || post.method === batchMethod) return false;
    if (!this.#revision.http.resumable || this.#state.at === 'closed') return false;
    const context = this.#context;
    const stream = new EventStream(
      context,
      {
        headers: () => this.headers(),
        isWanted: () => context.waits(id),
        event: ({ data }) => {
          if (data !== '') context.deliver(data, id);
          if (context.waits(id)) return;
          stream.abort();
          this.finished(post);
        },
        streamRefused: (error, status) => {
          if (status === 404 && this.#session !== undefined) return context.close(sessionLost(post.address));
          this.finished(post);
          // The call was started, so its outcome is unknown.
          post.fail(noAnswer(post.address, post.method, error));
        },
      },
      from,
    );
    this.#pending.set(id, stream);
    return true;
  }

  finished({ id, message }: Post): void {
    if (id !== undefined) this.#pending.delete(id);
    else if (message?.method === 'notifications/initialized') this.#openStream();
    else if (message?.method === 'notifications/cancelled')
      this.#abortRequest(message.params as { requestId: RequestId });
  }

  /** The server knows of the cancellation, so the rest of the response is ignored. */
  #abortRequest({ requestId }: { readonly requestId: RequestId }): void {
    this.#pending.get(requestId)?.abort();
    this.#pending.delete(requestId);
  }

  #openStream(): void {
    if (this.#state.at !== 'initialized' || this.#state.listening !== undefined) return;
    const deadline = this.#context.deadlines.add(streamTimeoutMs, () => this.#sendHeld());
    this.#hasStreamed = false;
    // The stream for notifications. Many servers do not have one.
    this.#state.listening = { deadline, stream: new EventStream(this.#context, this) };
  }

  /** Sends the requests that were held back. */
  #sendHeld(): void {
    if (this.#state.at !== 'initialized' || this.#state.listening === undefined) return;
    const { session, held, listening } = this.#state;
    this.#context.deadlines.cancel(listening.deadline);
    this.#state = { at: 'open', session, stream: listening.stream };
    for (const { frame, message } of held) this.send(frame, message);
  }

  opened(isResumed: boolean): void {
    // Notifications may have been lost while there was no stream.
    const isLate = this.#hasStreamed || this.#state.at === 'open';
    this.#hasStreamed = true;
    this.#sendHeld();
    if (isLate && !isResumed) this.#reportMissed();
  }

  #reportMissed(): void {
    const context = this.#context;
    this.#missed ??= new Throttle(context.deadlines, missedPauseMs, () => context.missed());
    this.#missed.request();
  }

  isWanted(): boolean {
    return this.#state.at === 'initialized' || this.#state.at === 'open';
  }

  event({ data, event }: ServerSentEvent): void {
    const isMessage = event === undefined || event === 'message' || (this.#isBelow && event === 'notification');
    if (data !== '' && isMessage) this.#context.deliver(data);
  }

  streamRefused(error: TenonError, status: number, isResumed: boolean): void {
    if (this.#listenBelow(status)) return;
    this.#sendHeld();
    if (this.#state.at === 'open') this.#state.stream = undefined;
    const context = this.#context;
    const hasStreamed = this.#hasStreamed;
    const refused = (isForgotten: boolean): void => {
      if (isForgotten) context.close(sessionLost(context.address));
      else if (isResumed && status === 400) this.#listenAnew();
      else if (hasStreamed) context.warn(error);
    };
    const mayBeForgotten = status === 404 || status === 400 || (status === 405 && hasStreamed);
    if (this.#session === undefined || !mayBeForgotten) return refused(false);
    // The server had the stream before, so the session has expired.
    if (status === 404 && hasStreamed) return refused(true);
    this.#checkSession(refused);
  }

  /**
   * Servers of one founding document have no sessions, and send notifications at another path. Returns whether that is
   * tried: only once, and only where the usual stream is not there.
   */
  #listenBelow(status: number): boolean {
    const state = this.#state;
    if (this.#isBelow || this.#hasStreamed || this.#session !== undefined) return false;
    if ((status !== 404 && status !== 405) || (state.at !== 'open' && state.at !== 'initialized')) return false;
    this.#isBelow = true;
    const stream = new EventStream(this.#context, this, undefined, eventsBelow(this.#context.address));
    if (state.at === 'open') state.stream = stream;
    else if (state.listening !== undefined) state.listening = { ...state.listening, stream };
    return true;
  }

  /** The server has lost the events after the last one: it is listened to from now on, and some may have been missed. */
  #listenAnew(): void {
    if (this.#state.at !== 'open') return;
    const address = this.#isBelow ? eventsBelow(this.#context.address) : this.#context.address;
    this.#state.stream = new EventStream(this.#context, this, undefined, address);
  }

  /** In a session a request is cancelled by a message, except `initialize` and requests that were never sent. */
  abandon(id: RequestId): boolean {
    if (this.#state.at === 'initialized') return this.#dropHeld(this.#state.held, id);
    if (this.#state.at !== 'initializing') return false;
    this.#abortRequest({ requestId: id });
    return true;
  }

  /** Returns whether it was held back. */
  #dropHeld(held: HeldMessage[], id: RequestId): boolean {
    const at = held.findIndex(({ message }) => 'id' in message && message.id === id);
    if (at !== -1) held.splice(at, 1);
    return at !== -1;
  }

  #closeStream(): void {
    this.#missed?.stop();
    if (this.#state.at === 'open') this.#state.stream?.abort();
    if (this.#state.at !== 'initialized' || this.#state.listening === undefined) return;
    this.#context.deadlines.cancel(this.#state.listening.deadline);
    this.#state.listening.stream.abort();
  }

  async close(): Promise<void> {
    const headers = this.headers();
    const { at } = this.#state;
    const session = this.#session;
    this.#closeStream();
    this.#state = closed;
    for (const requestId of this.#pending.ids()) this.#abortRequest({ requestId });
    if (at !== 'closed' && session !== undefined) await endSession(this.#context, headers);
  }
}

const eventsBelow = ({ href, origin, path }: HttpAddress): HttpAddress => {
  const below = (text: string): string => text.replace(/\/?(\?.*)?$/, '/events$1');
  return { href: below(href), origin, path: below(path) };
};
