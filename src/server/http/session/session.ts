/** One session over HTTP: its calls come by POSTs of their own, and what belongs to no call goes out on a stream. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { ErrorMessage, RequestId, ResultMessage } from '../../../jsonrpc/message.ts';
import { Outbox } from '../../../jsonrpc/outbox.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { News, Question } from '../../../protocol/neutral.ts';
import { Progress, type Told } from '../../../protocol/progress.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { EventLogLimits } from '../../../store/event-store.ts';
import { type Soon, soonThen } from '../../../store/maybe-promise.ts';
import { ask, withToken } from '../../channel/peer-link.ts';
import { createSession, type Session } from '../../lifecycle/session.ts';
import { CallsInFlight } from '../../ports/calls-in-flight.ts';
import { type CallInFlight, type LearnedFact, type Link, serverCloses } from '../../ports/link.ts';
import type { EventSink } from '../message.ts';
import type { Outlet } from '../reply/event-output.ts';
import type { ReplyHost } from '../reply/reply.ts';
import type { Dropped } from '../reporting/dropped.ts';
import type { EndpointLog } from '../reporting/endpoint-log.ts';
import { addressed, readAddress, type SessionMessage } from './nodes/node-bus.ts';
import type { Claim } from './nodes/notifier-claim.ts';
import { keyOf } from './session-ids.ts';
import { Telling, type TellingHost, unaskedName } from './session-notifier.ts';
import { fieldsOf } from './session-record.ts';
import { type AttachedAt, type Stream, Streams } from './streams.ts';

/** What sessions of one endpoint share. */
export interface SessionHost extends ReplyHost, TellingHost, EventLogLimits {
  readonly answerTimeoutMs: number;
  now(): number;
  /** Streams begun so far. */
  streams: number;
  /** POSTs that wait for their answers. */
  answering: number;
  /** Runs when one has its answer. */
  ended(): void;
  readonly log: EndpointLog | undefined;
  readonly dropped: Dropped;
}

export class HttpSession implements Link {
  readonly id: string;
  readonly principal: string | undefined;
  readonly host: SessionHost;
  readonly session: Session;
  #calls: CallsInFlight | undefined;
  /** When it was last of use to anybody. */
  lastUsed: number;
  /** POSTs that wait for their answers, and streams that are read. */
  busy = 0;
  #outbox: Outbox | undefined;
  #progress: Progress | undefined;
  #streams: Streams | undefined;
  /** Where what is sent at this moment goes. */
  #present: Outlet | undefined;

  /** When its id stops being good. */
  readonly expires: number;
  /** When its record ends, as far as this endpoint has said. */
  keptUntil: number;
  /** Who tells it of changes. */
  readonly telling: Telling;

  constructor(host: SessionHost, id: string, principal: string | undefined, expires: number, claimed: Claim) {
    this.host = host;
    this.id = id;
    this.principal = principal;
    this.expires = expires;
    this.telling = new Telling(host, id, claimed);
    this.lastUsed = host.now();
    this.keptUntil = this.lastUsed;
    this.session = createSession(host.serving, this);
  }

  /** What its record and its logs are kept under. */
  get key(): string {
    return keyOf(this.id);
  }

  /** Made with the first call: most of the time most sessions wait. */
  get calls(): CallsInFlight {
    this.#calls ??= new CallsInFlight(this.host.serving.maxConcurrent);
    return this.#calls;
  }

  /** Whether a request of this id waits for its answer. */
  isAnswering(id: RequestId): boolean {
    return this.#calls?.find(id) !== undefined;
  }

  /** A call that its client has given up is not answered; its response ends all the same. False where none is under way here. */
  cancel(id: RequestId): boolean {
    const reply = this.#calls?.find(id)?.reply;
    if (this.#calls?.cancel(id, 'cancelled by the client') !== true) return false;
    reply?.abandon();
    return true;
  }

  get streams(): Streams {
    this.#streams ??= streamsOf(this);
    return this.#streams;
  }

  /** The stream on which a session tells what nobody asked for; what is told while nobody reads waits in it. */
  get unasked(): Stream {
    return this.streams.open(unaskedName, this.telling.isHere ? 'here' : 'for-another');
  }

  /** A reader has come to a stream. */
  came(stream: Stream, sink: EventSink, ...place: AttachedAt): void {
    if (stream.name === unaskedName) this.telling.join(stream, sink, ...place);
    else stream.attach(sink, ...place);
  }

  /** A reader has left a stream. */
  left(stream: Stream, sink: EventSink): void {
    stream.lose(sink);
    if (stream.name === unaskedName) this.telling.leave(stream, sink);
  }

  remember(fact: LearnedFact): Soon<unknown> {
    const { store, neighbours } = this.host;
    // Whoever reads the record after this was told finds it there.
    const tell = (): void => neighbours?.tell(this.key, { kind: 'learned', fact });
    return soonThen(store.sessions.update(this.key, fieldsOf(fact)), tell);
  }

  /** Hears what concerns this session from an endpoint that holds it as well. */
  hear(message: Exclude<SessionMessage, { kind: 'ended' }>): void {
    if (message.kind === 'learned') return this.session.learn(message.fact);
    if (message.kind === 'cancelled') return void this.cancel(message.id);
    if (message.kind === 'answered' || message.kind === 'progress') {
      if (message.to !== this.host.neighbours?.node) return;
      return message.kind === 'answered' ? this.#take(message.message) : this.#progress?.told(message.news);
    }
    const stream = this.#streams?.get(message.stream);
    if (message.stream === unaskedName && !this.telling.hear(message, stream)) return;
    // One that ended here before that was heard has told nobody elsewhere.
    if (message.kind === 'taken' && stream === undefined)
      this.host.neighbours?.tell(this.key, { kind: 'grown', stream: message.stream });
    if (message.kind === 'taken') stream?.taken();
    if (message.kind === 'grown') stream?.catchUp();
    if (message.kind === 'paused') stream?.pause(message.retryMs);
  }

  settle(): void {}

  notify(revision: Revision, news: News): void {
    const written = revision.wire.writeNotification(revision, 'server', news);
    if (!written.ok) return;
    this.unasked.event(JSON.stringify({ jsonrpc: '2.0', method: news.method, params: written.value }));
  }

  sendRequest(
    revision: Revision,
    question: Question,
    signal: AbortSignal,
    hear?: (told: Told) => void,
  ): Promise<unknown> {
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
    const { neighbours } = this.host;
    return this.#heard().during(hear, (token) => send(withToken(question, addressed(token, neighbours))));
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
    this.#outbox ??= new Outbox(1000, this.host.serving.deadlines, {
      sendRequest: ({ id, ...message }) =>
        this.#present?.event(JSON.stringify({ ...message, id: addressed(id, this.host.neighbours) })),
      abandoned: (id, _method, reason) => {
        const revision = this.session.revision();
        if (revision === undefined) return;
        const requestId = addressed(id, this.host.neighbours);
        this.notify(revision, { method: 'notifications/cancelled', params: { requestId, reason: reason.code } });
      },
      dropped: (why) => this.host.dropped[why]++,
    });
    return this.#outbox;
  }

  #heard(): Progress {
    this.#progress ??= new Progress(this.host.dropped);
    return this.#progress;
  }

  progressed(news: News): void {
    const { to, own } = readAddress(news.params?.progressToken);
    const inner = { ...news, params: { ...news.params, progressToken: own } };
    if (to === undefined || to === this.host.neighbours?.node) this.#progress?.told(inner);
    else this.host.neighbours?.tell(this.key, { kind: 'progress', to, news: inner });
  }

  /** The client answers a question, of this endpoint or of another. */
  answered(message: ResultMessage | ErrorMessage): void {
    const { to, own } = readAddress(message.id);
    const inner = { ...message, id: own as RequestId };
    if (to === undefined || to === this.host.neighbours?.node) this.#take(inner);
    else this.host.neighbours?.tell(this.key, { kind: 'answered', to, message: inner });
  }

  #take(message: ResultMessage | ErrorMessage): void {
    if (message.id === undefined || message.id === null) return;
    if (this.#outbox === undefined) this.host.dropped.unknown++;
    if ('result' in message) return this.#outbox?.resolve(message.id, message.result);
    this.#outbox?.reject(message.id, RpcError.answered(message.error));
  }

  begin(id: RequestId, call: CallInFlight): boolean {
    return this.calls.begin(id, call);
  }

  end(id: RequestId, call: CallInFlight): boolean {
    return this.calls.end(id, call);
  }

  /** Ends what is under way: nobody is left waiting. */
  close(reason: string): void {
    // A call that has begun is not answered by 404: a client may take that for one that has not, and send it again.
    const [over, status] = reason === serverCloses ? [closing, 503] : [sessionOver(reason), 200];
    for (const id of this.#calls?.ids() ?? []) {
      const reply = this.#calls?.find(id)?.reply;
      this.#calls?.cancel(id, reason);
      reply?.give(id, over, status);
    }
    this.#outbox?.close(new TenonError('connection-closed', `The session is over: ${reason}.`));
    this.#streams?.close();
    this.telling.close();
    this.host.log?.sessionEnded(this.id, reason);
  }
}

const sessionOver = (reason: string): RpcError => rpcError('invalid-request', `The session is over: ${reason}`);

/** The answer to calls that have taken longer than a server waits that is about to close. */
export const closing = rpcError('overloaded', 'The server is closing, and has given this call up');

function streamsOf(session: HttpSession): Streams {
  const { key, host } = session;
  const { store, neighbours } = host;
  const prefix = neighbours?.node ?? '';
  return new Streams({
    key,
    logs: store.events,
    keeper: host,
    newName: () => prefix + (++host.streams).toString(36),
    tell: (message) => {
      const isClaimed = message.kind === 'taken' && message.stream === unaskedName;
      neighbours?.tell(key, isClaimed ? { ...message, claim: session.telling.claimed } : message);
    },
  });
}
