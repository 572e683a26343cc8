/** The answer to one POST: one JSON text, or a stream of events once something is told before it. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../../jsonrpc/message.ts';
import type { News, Outcome, Question, Refusal } from '../../../protocol/neutral.ts';
import type { Told } from '../../../protocol/progress.ts';
import { shortText } from '../../../protocol/result-text.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { cachedText, cacheText } from '../../kernel/cached-text.ts';
import type { Serving } from '../../kernel/serving.ts';
import { reportUnsent } from '../../lifecycle/refusals.ts';
import type { CallInFlight, Link } from '../../ports/link.ts';
import type { Transport } from '../../ports/request-details.ts';
import { type Acceptance, acceptanceOf } from '../admission/accept.ts';
import { eventStreamType, type HttpHeaders, type HttpResponder, jsonType } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { Outlet } from './event-output.ts';

/** What replies of one endpoint have in common. */
export interface ReplyHost {
  readonly serving: Serving;
  fault(error: Error): void;
}

/** A class, and its parts methods: a POST that made closures for all this would take far longer. */
export abstract class Reply implements Link {
  readonly host: ReplyHost;
  readonly responder: HttpResponder;
  readonly principal: string | undefined;
  /** Answers that are still to come. */
  missing = 1;
  /** Whether the answers stand in a list, as the requests did. */
  batch = false;
  #answers: string[] | undefined;
  #outlet: Outlet | undefined;

  constructor(host: ReplyHost, responder: HttpResponder, principal: string | undefined) {
    this.host = host;
    this.responder = responder;
    this.principal = principal;
  }

  /** What HTTP says of an error that is the whole answer. */
  protected abstract statusOf(error: RpcError): number;
  /** Begins a stream of events on the response. */
  protected abstract open(): Outlet;
  abstract sendRequest(
    revision: Revision,
    question: Question,
    signal: AbortSignal,
    hear?: (told: Told) => void,
  ): Promise<unknown>;
  abstract progressed(news: News): void;
  abstract begin(id: RequestId, call: CallInFlight): boolean;
  abstract end(id: RequestId, call: CallInFlight): boolean;

  get transport(): Transport {
    return 'tcp';
  }

  get requestId(): string {
    return requestIdOf(this.responder);
  }

  header(name: string): string | undefined {
    return this.responder.header?.(name);
  }

  /** Which forms of an answer the client accepts. */
  get acceptance(): Acceptance {
    const accept = this.responder.header?.('accept');
    return accept === undefined ? this.unsaid : acceptanceOf(accept);
  }

  /** What is taken to be accepted by a client that does not say. */
  protected get unsaid(): Acceptance {
    return 'either';
  }

  /** Headers that the response has besides its type. */
  get headers(): HttpHeaders {
    return jsonType;
  }

  settle({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void {
    if (outcome instanceof RpcError) return this.refuse(id, revision, outcome);
    const text = cachedText(outcome, revision) ?? this.#written(method, revision, outcome);
    if (text === undefined) return this.refuse(id, revision, RpcError.from(undefined));
    this.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, 200);
  }

  #written(method: string, revision: Revision, outcome: Outcome): string | undefined {
    try {
      const { info } = this.host.serving.registry();
      const written = revision.wire.writeResult(revision, 'client', method, outcome, info);
      if (written.ok) {
        const text = shortText(written.value) ?? jsonOf(written.value);
        cacheText(outcome, revision, text);
        return text;
      }
      this.unsent(written.refusal);
    } catch (cause) {
      this.#fault(`The result of ${method} cannot be written as JSON.`, cause);
    }
    return undefined;
  }

  /** An error about a request whose id is not known has none, or null, as the revision wants it. */
  refuse(id: RequestId | undefined, revision: Revision, error: RpcError, status: number = this.statusOf(error)): void {
    const known = id ?? (revision.errorsHaveId ? null : undefined);
    this.answer(this.#errorText(known, revision, error), status);
  }

  /** The data of an error is its author's too: where it cannot be written, the error goes without any. */
  #errorText(id: RequestId | null | undefined, revision: Revision, error: RpcError): string {
    try {
      return JSON.stringify({ jsonrpc: '2.0', id, error: revision.wire.writeError(revision, error) });
    } catch (cause) {
      this.#fault('An error cannot be written as JSON.', cause);
      const plain = revision.wire.writeError(revision, RpcError.from(undefined));
      return JSON.stringify({ jsonrpc: '2.0', id, error: plain });
    }
  }

  notify(revision: Revision, news: News): void {
    const written = revision.wire.writeNotification(revision, 'server', news);
    if (!written.ok) return this.unsent(written.refusal);
    this.tell(JSON.stringify({ jsonrpc: '2.0', method: news.method, params: written.value }));
  }

  /** Tells something before the answer, which makes a stream of the response. Who accepts no stream is told nothing. */
  tell(text: string): void {
    if (this.#outlet !== undefined || this.acceptance !== 'json') this.outlet.event(text);
  }

  /** The stream that the response is, from here on. */
  protected get outlet(): Outlet {
    this.#outlet ??= this.#opened();
    return this.#outlet;
  }

  /** Answers of a batch that came before there was a stream are the first on it. */
  #opened(): Outlet {
    const outlet = this.open();
    for (const text of this.#answers ?? []) outlet.event(text);
    return outlet;
  }

  protected answer(text: string, status: number): void {
    this.missing--;
    const outlet = this.#outlet ?? (status === 200 && this.acceptance === 'events' ? this.outlet : undefined);
    if (outlet !== undefined) {
      outlet.event(text);
      if (this.missing === 0) outlet.end();
    } else if (!this.batch) this.responder.send(status, this.headers, text);
    else this.#collect(text);
  }

  /** Tells the reader of the stream, if there is one, when to look for a server again. */
  protected hintReturn(): void {
    this.#outlet?.hintReturn?.();
  }

  /** Ends the stream, if there is one: nobody reads it any more. */
  protected release(): void {
    this.#outlet?.end();
  }

  /** Ends the response where the last answer will not come. */
  protected finishEmpty(): void {
    if (this.missing > 0) return;
    if (this.#outlet !== undefined) return this.#outlet.end();
    if (this.#answers !== undefined) return this.#sendAll();
    if (this.acceptance === 'json') return this.responder.send(202, {}, '');
    // A stream with an event in it would be asked for again by its reader, who has had no answer.
    this.responder.stream({ ...this.headers, ...eventStreamType }).end();
  }

  #collect(text: string): void {
    this.#answers ??= [];
    this.#answers.push(text);
    if (this.missing === 0) this.#sendAll();
  }

  #sendAll(): void {
    this.responder.send(200, this.headers, `[${(this.#answers ?? []).join(',')}]`);
  }

  protected unsent(refusal: Refusal): void {
    reportUnsent(refusal, (text, cause) => this.#fault(text, cause));
  }

  #fault(text: string, cause?: unknown): void {
    const details = { requestId: this.requestId };
    const more = cause === undefined ? { details } : { details, cause };
    this.host.fault(new TenonError('invalid-outgoing', `${text} (request ${details.requestId})`, more));
  }
}

/** A value may write itself as nothing, which is no JSON. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError('It writes itself as nothing.');
  return text;
}
