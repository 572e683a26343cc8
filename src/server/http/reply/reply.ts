/** The reply to one POST: one JSON text, or a stream of events once something is sent before the result. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../../jsonrpc/message.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { InputRequest, Notification, Outcome, Refusal } from '../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../protocol/progress.ts';
import { writeResultText } from '../../../protocol/result-text.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { Serving } from '../../kernel/serving.ts';
import { reportUnsent } from '../../lifecycle/refusals.ts';
import type { ChallengeDetails } from '../../ports/authenticate.ts';
import type { CallInFlight, Link } from '../../ports/link.ts';
import type { NetworkTransport } from '../../ports/request-details.ts';
import { type Acceptance, acceptanceOf } from '../admission/accept.ts';
import { refusalHeaders } from '../admission/challenge.ts';
import { eventStreamType, type HttpHeaders, type HttpResponder, jsonType } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { EventOutput } from './event-output.ts';

/** What the replies of one endpoint share. */
export interface ReplyHost {
  readonly serving: Serving;
  /** What the challenges of the endpoint name. */
  readonly challengeDetails: ChallengeDetails;
  warn(error: Error): void;
}

/** A class with methods: closures would be created for every POST. */
export abstract class Reply implements Link {
  readonly host: ReplyHost;
  readonly responder: HttpResponder;
  readonly principal: Principal | undefined;
  address: string | undefined = undefined;
  /** Results and errors that are still to be sent. */
  missing = 1;
  /** Whether the requests came as a batch: their results are sent as one. */
  batch = false;
  #answers: string[] | undefined;
  #output: EventOutput | undefined;

  constructor(host: ReplyHost, responder: HttpResponder, principal: Principal | undefined) {
    this.host = host;
    this.responder = responder;
    this.principal = principal;
  }

  /** The HTTP status of an error that is the whole response. */
  protected abstract statusOf(error: RpcError): number;
  /** Makes the response a stream of events. */
  protected abstract open(): EventOutput;
  abstract sendRequest(
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
  ): Promise<unknown>;
  abstract progressed(notification: Notification): void;
  abstract begin(id: RequestId, call: CallInFlight): RpcError | undefined;
  abstract end(id: RequestId, call: CallInFlight): boolean;

  get transport(): NetworkTransport {
    return 'tcp';
  }

  get requestId(): string {
    return requestIdOf(this.responder);
  }

  header(name: string): string | undefined {
    return this.responder.header?.(name);
  }

  sentHeaders(): HttpHeaders {
    return this.responder.sentHeaders?.() ?? {};
  }

  /** Which kinds of response the client accepts. */
  get acceptance(): Acceptance {
    const accept = this.responder.header?.('accept');
    return accept === undefined ? this.defaultAcceptance : acceptanceOf(accept);
  }

  /** For a client that sends no `Accept`. */
  protected get defaultAcceptance(): Acceptance {
    return 'either';
  }

  /** The headers of a JSON response. */
  get headers(): HttpHeaders {
    return jsonType;
  }

  settle({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void {
    if (outcome instanceof RpcError) return this.refuse(id, revision, outcome);
    const text = this.#resultText(method, revision, outcome);
    if (text === undefined) return this.refuse(id, revision, RpcError.from(undefined));
    this.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, 200);
  }

  #resultText(method: string, revision: Revision, outcome: Outcome): string | undefined {
    try {
      const written = writeResultText(revision, method, outcome, this.host.serving.registry().info);
      if (typeof written === 'string') return written;
      this.unsent(written);
    } catch (cause) {
      this.#warn(`The result of ${method} cannot be written as JSON.`, cause);
    }
    return undefined;
  }

  /** An error for a request without a known id has no id, or null, depending on the revision. */
  refuse(id: RequestId | undefined, revision: Revision, error: RpcError, status: number = this.statusOf(error)): void {
    const known = id ?? (revision.errorsHaveId ? null : undefined);
    const headers = status === 200 ? this.headers : this.#refusalHeaders(error);
    this.answer(this.#errorText(known, revision, error), status, headers);
  }

  #refusalHeaders(error: RpcError): HttpHeaders {
    return refusalHeaders(this.headers, error, this.principal, this.host.challengeDetails);
  }

  /** The data of an error comes from a handler: if it is not JSON, an internal error is sent instead. */
  #errorText(id: RequestId | null | undefined, revision: Revision, error: RpcError): string {
    try {
      return JSON.stringify({ jsonrpc: '2.0', id, error: revision.wire.writeError(revision, error) });
    } catch (cause) {
      this.#warn('An error cannot be written as JSON.', cause);
      const plain = revision.wire.writeError(revision, RpcError.from(undefined));
      return JSON.stringify({ jsonrpc: '2.0', id, error: plain });
    }
  }

  notify(revision: Revision, notification: Notification): void {
    const written = revision.wire.writeNotification(revision, 'server', notification);
    if (!written.ok) return this.unsent(written.refusal);
    this.sendEvent(JSON.stringify({ jsonrpc: '2.0', method: notification.method, params: written.value }));
  }

  /** Sends an event before the result, which makes the response a stream. Dropped if the client accepts only JSON. */
  sendEvent(text: string): void {
    if (this.#output !== undefined || this.acceptance !== 'json') this.output.event(text);
  }

  /** The response as a stream of events, from here on. */
  protected get output(): EventOutput {
    this.#output ??= this.#opened();
    return this.#output;
  }

  /** Opens the stream. Its first events are the results of a batch that were ready before. */
  #opened(): EventOutput {
    const output = this.open();
    for (const text of this.#answers ?? []) output.event(text);
    return output;
  }

  protected answer(text: string, status: number, headers: HttpHeaders = this.headers): void {
    this.missing--;
    const output = this.#output ?? (status === 200 && this.acceptance === 'events' ? this.output : undefined);
    if (output !== undefined) {
      if (this.missing === 0) output.end(text);
      else output.event(text);
    } else if (!this.batch) this.responder.send(status, headers, text);
    else this.#collect(text);
  }

  /** Sends the time to wait before reconnecting on the stream, if there is one. */
  protected sendRetryHint(): void {
    this.#output?.sendRetryHint?.();
  }

  /** Ends the stream, if there is one: the client has disconnected. */
  protected release(): void {
    this.#output?.end();
  }

  /** Ends the response if the last result will not come. */
  protected finishEmpty(): void {
    if (this.missing > 0) return;
    if (this.#output !== undefined) return this.#output.end();
    if (this.#answers !== undefined) return this.#sendAll();
    if (this.acceptance === 'json') return this.responder.send(202, {}, '');
    // Without an event: a client that got one, and no result, would reconnect for the rest.
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
    reportUnsent(refusal, (text, cause) => this.#warn(text, cause));
  }

  #warn(text: string, cause?: unknown): void {
    const details = { requestId: this.requestId };
    const more = cause === undefined ? { details } : { details, cause };
    this.host.warn(new TenonError('invalid-outgoing-message', `${text} (request ${details.requestId})`, more));
  }
}
