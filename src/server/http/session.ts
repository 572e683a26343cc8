/** One session over HTTP: its calls come by POSTs of their own, and what belongs to no call goes out on a stream. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { ErrorMessage, RequestId, ResultMessage } from '../../jsonrpc/message.ts';
import { createOutbox, type Outbox } from '../../jsonrpc/outbox.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { News, Question } from '../../protocol/neutral.ts';
import { createProgress, type Progress, type Told } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type Calls, createCalls } from '../calls.ts';
import type { CallUnderWay, Link } from '../link.ts';
import { ask, withToken } from '../peer-link.ts';
import { createSession, type Session } from '../session.ts';
import { createEventLog, type EventLog, type EventLogLimits, type Stream } from './event-log.ts';
import { eventStreamType, type HttpHeaders, type HttpResponder, jsonType } from './message.ts';
import { type Keeper, type Outlet, openOutlet } from './outlet.ts';
import { Reply, type ReplyHost } from './reply.ts';

/** What sessions of one endpoint share. */
export interface SessionHost extends ReplyHost, Keeper, EventLogLimits {
  readonly answerTimeoutMs: number;
  now(): number;
  /** POSTs that wait for their answers. */
  answering: number;
  /** Runs when one has its answer. */
  ended(): void;
}

export class HttpSession implements Link {
  readonly id: string;
  readonly principal: string | undefined;
  readonly host: SessionHost;
  readonly session: Session;
  #calls: Calls | undefined;
  /** When it was last of use to anybody. */
  lastUsed: number;
  /** POSTs that wait for their answers, and streams that are read. */
  busy = 0;
  #answers: Map<RequestId, SessionReply> | undefined;
  #outbox: Outbox | undefined;
  #progress: Progress | undefined;
  #log: EventLog | undefined;
  /** The stream for what belongs to no call. */
  #unasked: Stream | undefined;
  /** Where what is sent at this moment goes. */
  #present: Outlet | undefined;

  constructor(host: SessionHost, id: string, principal: string | undefined) {
    this.host = host;
    this.id = id;
    this.principal = principal;
    this.lastUsed = host.now();
    this.session = createSession(host.serving, this);
  }

  /** Made with the first call: most of the time most sessions wait. */
  get calls(): Calls {
    this.#calls ??= createCalls(this.host.serving.maxConcurrent);
    return this.#calls;
  }

  /** The replies to requests that wait, by their ids. */
  get answers(): Map<RequestId, SessionReply> {
    this.#answers ??= new Map();
    return this.#answers;
  }

  /** A call that its client has given up is not answered; its response ends all the same. */
  cancel(id: RequestId): void {
    if (!this.calls.cancel(id, 'cancelled by the client')) return;
    this.#answers?.get(id)?.abandon();
    this.#answers?.delete(id);
  }

  get log(): EventLog {
    this.#log ??= createEventLog(this.host, this.host);
    return this.#log;
  }

  /** The stream on which a session tells what nobody asked for; what is told while nobody reads waits in it. */
  get unasked(): Stream {
    this.#unasked ??= this.log.begin();
    return this.#unasked;
  }

  settle(): void {}

  notify(revision: Revision, news: News): void {
    const written = revision.wire.writeNotification(revision, 'server', news);
    if (!written.ok) return;
    this.unasked.event(JSON.stringify({ jsonrpc: '2.0', method: news.method, params: written.value }));
  }

  put(revision: Revision, question: Question, signal: AbortSignal, hear?: (told: Told) => void): Promise<unknown> {
    return this.putOn(this.unasked, revision, question, signal, hear);
  }

  /** Puts a question to the client on one of its streams; the answer comes by a POST of its own. */
  putOn(
    outlet: Outlet,
    revision: Revision,
    question: Question,
    signal: AbortSignal,
    hear: ((told: Told) => void) | undefined,
  ): Promise<unknown> {
    const send = (asked: Question): Promise<unknown> =>
      ask((method, params, options) => this.#request(outlet, method, params, options), revision, asked, {
        timeoutMs: this.host.answerTimeoutMs,
        signal,
      });
    if (hear === undefined) return send(question);
    return this.#heard().during(hear, (token) => send(withToken(question, token)));
  }

  #request(outlet: Outlet, ...given: Parameters<Outbox['request']>): Promise<unknown> {
    this.#present = outlet;
    try {
      return this.#asking().request(...given);
    } finally {
      this.#present = undefined;
    }
  }

  #asking(): Outbox {
    this.#outbox ??= createOutbox(1000, this.host.serving.deadlines, {
      send: (message) => this.#present?.event(JSON.stringify(message)),
      abandoned: (requestId, _method, reason) => {
        const revision = this.session.revision();
        if (revision === undefined) return;
        this.notify(revision, { method: 'notifications/cancelled', params: { requestId, reason: reason.code } });
      },
      dropped: () => {},
    });
    return this.#outbox;
  }

  #heard(): Progress {
    this.#progress ??= createProgress({ late: 0, unknown: 0 });
    return this.#progress;
  }

  told(news: News): void {
    this.#progress?.told(news);
  }

  /** The client answers a question. */
  answered(message: ResultMessage | ErrorMessage): void {
    if (message.id === undefined || message.id === null) return;
    if ('result' in message) return this.#outbox?.resolve(message.id, message.result);
    this.#outbox?.reject(message.id, RpcError.answered(message.error));
  }

  begin(id: RequestId, counts: boolean): CallUnderWay | undefined {
    return this.calls.begin(id, counts);
  }

  end(id: RequestId, call: CallUnderWay): boolean {
    return this.calls.end(id, call);
  }

  /** Ends what is under way: nobody is left waiting. */
  close(reason: string): void {
    const over = rpcError('invalid-request', `The session is over: ${reason}`);
    for (const [id, reply] of this.#answers ?? []) {
      this.calls.cancel(id, reason);
      reply.give(id, over);
    }
    this.#answers?.clear();
    this.#outbox?.close(new TenonError('connection-closed', `The session is over: ${reason}.`));
    this.#log?.end();
  }
}

/** The reply to a POST within a session. Its reader may leave and come back; only a cancellation ends the call. */
export class SessionReply extends Reply {
  readonly #session: HttpSession;
  readonly #revision: Revision;
  readonly #headers: HttpHeaders;

  constructor(session: HttpSession, revision: Revision, responder: HttpResponder, headers: HttpHeaders = jsonType) {
    super(session.host, responder, session.principal);
    this.#session = session;
    this.#revision = revision;
    this.#headers = headers;
    session.busy++;
    session.host.answering++;
  }

  override get headers(): HttpHeaders {
    return this.#headers;
  }

  protected statusOf(): number {
    return 200;
  }

  protected open(): Outlet {
    const { http } = this.#revision;
    const sink = this.responder.stream({ ...this.#headers, ...eventStreamType });
    if (!http.resumable) return openOutlet(sink, this.#session.host);
    const stream = this.#session.log.begin();
    stream.attach(sink, 0);
    this.responder.onClose({ closed: () => stream.lose(sink) });
    if (http.polling) stream.event('');
    return stream;
  }

  put(revision: Revision, question: Question, signal: AbortSignal, hear?: (told: Told) => void): Promise<unknown> {
    return this.#session.putOn({ event: (text) => this.tell(text), end() {} }, revision, question, signal, hear);
  }

  told(news: News): void {
    this.#session.told(news);
  }

  begin(id: RequestId, counts: boolean): CallUnderWay | undefined {
    const call = this.#session.begin(id, counts);
    if (call !== undefined) this.#session.answers.set(id, this);
    return call;
  }

  end(id: RequestId, call: CallUnderWay): boolean {
    const wasUnderWay = this.#session.end(id, call);
    if (wasUnderWay) this.#session.answers.delete(id);
    return wasUnderWay;
  }

  /** Answers a request whose session has ended before it. */
  give(id: RequestId, error: RpcError): void {
    this.refuse(id, this.#revision, error, 404);
  }

  /** One answer fewer is to come. */
  abandon(): void {
    this.missing--;
    this.finishEmpty();
    this.#left();
  }

  override tell(text: string): void {
    // What a handler tells after its call is answered belongs to no call any more.
    if (this.missing === 0) this.#session.unasked.event(text);
    else super.tell(text);
  }

  /** Ends the connection, not the stream: its reader comes back for the rest. */
  disconnect(retryMs: number): void {
    if (this.#revision.http.polling && this.missing > 0) this.outlet.pause?.(retryMs);
  }

  protected override answer(text: string, status: number): void {
    super.answer(text, status);
    this.#left();
  }

  #left(): void {
    if (this.missing > 0) return;
    this.#session.busy--;
    const { host } = this.#session;
    this.#session.lastUsed = host.now();
    host.answering--;
    host.ended();
  }
}
