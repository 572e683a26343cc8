/** The reply to a POST in a session: its stream can be resumed, and its call continues when the client disconnects. */
import { type RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { InputRequest, Notification } from '../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../protocol/progress.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { atExpiry } from '../../ports/expiry.ts';
import type { CallInFlight, TaskRequest } from '../../ports/link.ts';
import { statusOfCall } from '../admission/challenge.ts';
import { eventStreamType, type HttpHeaders, type HttpRequest, type HttpResponder, jsonType } from '../message.ts';
import { type EventOutput, openOutput } from '../reply/event-output.ts';
import { Reply } from '../reply/reply.ts';
import type { HttpSession } from './session.ts';
import { writeNote } from './streams/stream-note.ts';

/** The client may disconnect and reconnect; only a cancellation ends the call. */
export class SessionReply extends Reply {
  readonly #session: HttpSession;
  readonly #revision: Revision;
  readonly #headers: HttpHeaders;
  /** The requests that it answers. */
  ids: RequestId | readonly RequestId[] | undefined = undefined;

  constructor(
    session: HttpSession,
    revision: Revision,
    responder: HttpResponder,
    principal: Principal | undefined,
    headers: HttpHeaders = jsonType,
  ) {
    super(session.host, responder, principal);
    this.#session = session;
    this.#revision = revision;
    this.#headers = headers;
    session.busy++;
    session.host.answering++;
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get sessionKey(): string {
    return this.#session.key;
  }

  override get headers(): HttpHeaders {
    return this.#headers;
  }

  get revision(): Revision {
    return this.#revision;
  }

  protected statusOf(error: RpcError): number {
    return statusOfCall(error);
  }

  protected open(): EventOutput {
    const { http } = this.#revision;
    const sink = this.responder.stream({ ...this.#headers, ...eventStreamType });
    if (!http.resumable) return openOutput(sink, this.#session.host);
    const stream = this.#session.streams.begin(this.#note(), this);
    stream.attach(sink, 0);
    // The call continues; its client resumes the stream with new credentials.
    const stopWaiting = atExpiry(this.host.serving, this.principal, () => stream.pause(retryMs));
    this.responder.onClose({
      closed() {
        stopWaiting();
        stream.detach(sink);
      },
    });
    if (http.polling) stream.event('');
    return stream;
  }

  /** With several nodes: another one answers the requests if this one dies. */
  #note(): string | undefined {
    const { liveness, nodeBus } = this.#session.host;
    if (liveness === undefined || nodeBus === undefined) return undefined;
    return writeNote(nodeBus.node, [this.ids ?? []].flat());
  }

  sendRequest(
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
    task?: TaskRequest,
  ): Promise<unknown> {
    if (this.acceptance === 'json') return Promise.reject(needsEvents());
    return this.#session.requests.send(
      { event: (text) => this.sendEvent(text), end() {} },
      revision,
      request,
      signal,
      onProgress,
      task,
    );
  }

  progressed(notification: Notification): void {
    void this.#session.progressed(notification);
  }

  begin(id: RequestId, call: CallInFlight): RpcError | undefined {
    call.reply = this;
    this.ids ??= id;
    const refused = this.#session.begin(id, call);
    if (refused === undefined && call.counts) this.responder.received?.use();
    return refused;
  }

  end(id: RequestId, call: CallInFlight): boolean {
    // False once it has ended.
    if (call.counts) this.responder.received?.closed();
    return this.#session.end(id, call);
  }

  /** Answers a request that is cancelled before its handler has finished. */
  reject(id: RequestId, error: RpcError, status: number): void {
    this.refuse(id, this.#revision, error, status);
  }

  /** A request of this reply will not be answered. */
  abandon(): void {
    this.missing--;
    this.finishEmpty();
    this.#finishIfDone();
  }

  override sendEvent(text: string): void {
    // Events that a handler sends after its call is answered belong to no call.
    if (this.missing === 0) this.#session.serverStream.event(text);
    else super.sendEvent(text);
  }

  /** Ends the connection, not the stream: the client reconnects for the rest. */
  disconnect(retryMs: number): void {
    if (this.#revision.http.polling && this.missing > 0 && this.acceptance !== 'json') this.output.pause?.(retryMs);
  }

  protected override answer(text: string, status: number, headers?: HttpHeaders): void {
    super.answer(text, status, headers);
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.missing > 0) return;
    this.#session.busy--;
    const { host } = this.#session;
    this.#session.lastUsed = host.now();
    host.answering--;
    host.life.callFinished();
  }
}

/** The reply to a request of a session. */
export function replyInSession(
  session: HttpSession,
  revision: Revision,
  request: HttpRequest,
  responder: HttpResponder,
  headers?: HttpHeaders,
): SessionReply {
  const reply = new SessionReply(session, revision, responder, request.principal, headers);
  reply.address = request.clientAddress;
  session.receivedFrom(request);
  return reply;
}

/** How long a client waits before it resumes a stream. */
const retryMs = 1000;

const needsEvents = (): TenonError =>
  new TenonError(
    'capability-not-supported',
    'The client accepts only JSON for this call, so the server cannot send it a request.',
    { hint: 'The client must accept text/event-stream too.' },
  );
