/** Requests to a server at one revision, in a session or as exchanges; input that it requires is provided. */

import type { RequestId } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { namedError } from '../../protocol/error-names.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { CacheHint, Done, Introduction, Outcome, Round } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { answerAll, type InputRequests, type RequestAnswerer } from '../answers/answering.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import { toRequiredUrls, type UrlElicitations } from '../answers/url-elicitations.ts';
import type { BatchRequest } from '../api/client.ts';
import type { ClientTelemetry } from '../api/telemetry-port.ts';
import {
  cancelled,
  refusesState,
  stateRefused,
  unwritable,
  urlElicitationTimedOut,
  withoutRounds,
} from './conversation-errors.ts';

export interface ConversationCallOptions extends RequestOptions {
  /** The server has required input, so it has started the call. */
  readonly onInputRequired?: () => void;
  /** Whether a task is a valid result: the caller follows it. */
  readonly acceptsTask?: boolean;
  /** The handlers that answer what this call requires; by default those of the client. */
  readonly answers?: ClientHandlers | undefined;
  /** The level of log messages of this call, where every request carries it; by default that of the client. */
  readonly logLevel?: LoggingLevel;
}

/** The result of a call that goes on as a task. */
export type TaskOutcome = Extract<Outcome, { resultType: 'task' }>;

export interface ConversationPorts {
  /** Answers by the handlers of one call, or by those of the client. */
  answererFor(own: ClientHandlers | undefined): RequestAnswerer;
  /** The URL elicitations that the user agreed to. */
  readonly urlElicitations: UrlElicitations;
  /** How often one call may require input. */
  readonly maxInputRounds: number;
  /** Aborted when the connection closes. */
  readonly closedSignal: AbortSignal;
  /** Called with the error of a call whose result does not fit the protocol. In strict mode this closes the connection. */
  onInvalidResult(error: TenonError, method: string): void;
  /** Wraps every request. */
  readonly trace?: ClientTelemetry | undefined;
}

/** What the client states about itself; `declaresTasks` also that it follows tasks. */
export type Introduce = (declaresTasks?: boolean) => Introduction;

/** A result that depends on input is for this call alone. */
const notCached: CacheHint = { ttlMs: 0, scope: 'private' };

const elicitationComplete = 'notifications/elicitation/complete';

/** Waits for input. If the caller cancels meanwhile, the error is `cancelled`. */
const rethrowCancelled = <T>(method: string, waiting: Promise<T>, options?: RequestOptions): Promise<T> =>
  waiting.catch((error) => {
    throw options?.signal?.aborted ? cancelled(method, error) : error;
  });

/** The client cannot fix it. */
const authorHint = 'This is a bug of the server: report it to its author.';

export class Conversation {
  readonly revision: Revision;
  readonly #peer: Peer;
  readonly #ports: ConversationPorts;
  /** The client information, if every request carries it; with the declaration that the client follows tasks, or without. */
  readonly #introduction: Introduce | undefined;
  /** Whether the server has tasks, so that it matters what the client declares. */
  readonly #hasTasks: boolean;

  constructor(peer: Peer, revision: Revision, ports: ConversationPorts, introduction?: Introduce, hasTasks = true) {
    this.revision = revision;
    this.#peer = peer;
    this.#ports = ports;
    this.#introduction = introduction;
    this.#hasTasks = hasTasks;
  }

  /** Resolves with a task only if `acceptsTask` is set. */
  call(
    method: string,
    params: Fields | undefined,
    options: ConversationCallOptions & { readonly acceptsTask: boolean },
  ): Promise<Done | TaskOutcome>;
  call(method: string, params?: Fields, options?: Omit<ConversationCallOptions, 'acceptsTask'>): Promise<Done>;
  async call(method: string, params?: Fields, options?: ConversationCallOptions): Promise<Done | TaskOutcome> {
    const { maxInputRounds } = this.#ports;
    let round: Round | undefined;
    for (let rounds = 0; ; rounds++) {
      let outcome: Outcome;
      try {
        outcome = await this.#sendTraced(method, params, round, options);
      } catch (error) {
        if (round?.state !== undefined && refusesState(error)) throw stateRefused(method, error);
        if (rounds < maxInputRounds && (await this.#completeRequiredUrls(method, error, options))) continue;
        throw error;
      }
      if (outcome.resultType === 'complete') return round === undefined ? outcome : { ...outcome, cache: notCached };
      if (outcome.resultType === 'task') return this.#requestedTask(method, params, outcome, options);
      if (rounds >= maxInputRounds)
        throw new TenonError(
          'too-many-input-rounds',
          `${method} required input more than ${maxInputRounds} times (limits.maxInputRounds).`,
        );
      options?.onInputRequired?.();
      const answers = await this.#answerRequests(method, outcome.inputRequests, options);
      // The request state is returned unchanged.
      round = { answers, state: outcome.state };
    }
  }

  /** Sends one round. A server that requires input is answered by the next one, with the answers and its request state. */
  async round(
    method: string,
    params: Fields | undefined,
    round: Round | undefined,
    options: ConversationCallOptions,
  ): Promise<Outcome> {
    if (round !== undefined && this.#introduction === undefined) throw withoutRounds(method, this.revision.id);
    try {
      const outcome = await this.#sendTraced(method, params, round, options);
      if (outcome.resultType === 'task') return this.#requestedTask(method, params, outcome, options);
      if (outcome.resultType !== 'complete' || round === undefined) return outcome;
      return { ...outcome, cache: notCached };
    } catch (error) {
      throw round?.state !== undefined && refusesState(error) ? stateRefused(method, error) : error;
    }
  }

  /** A task is a result only of a call that allowed it: in a session by its params, otherwise by what the client declared. */
  #requestedTask(
    method: string,
    params: Fields | undefined,
    outcome: TaskOutcome,
    options: ConversationCallOptions | undefined,
  ): TaskOutcome {
    if (options?.acceptsTask && (this.#introduction !== undefined || params?.task !== undefined)) return outcome;
    throw new TenonError('invalid-result', `The server answered ${method} with a task that was not requested.`, {
      hint: authorHint,
    });
  }

  /**
   * Sends requests as one batch, without input rounds: revisions with batches have none. A request for which `check`
   * throws is not sent.
   */
  batch(
    requests: readonly BatchRequest[],
    options: RequestOptions,
    check: (method: string) => void,
  ): Promise<Fields>[] {
    const sent: Promise<Fields>[] = [];
    this.#peer.batch(() => {
      for (const request of requests) sent.push(this.#sendInBatch(request, options, check));
    });
    return sent;
  }

  async #sendInBatch(
    { method, params }: BatchRequest,
    options: RequestOptions,
    check: (method: string) => void,
  ): Promise<Fields> {
    check(method);
    const outcome = await this.#sendTraced(method, params && { ...params }, undefined, options);
    if (outcome.resultType === 'complete') return outcome.result;
    throw new TenonError('invalid-result', `The server answered ${method} in a batch with ${outcome.resultType}.`);
  }

  notify(method: string, params?: Fields): void {
    const { revision } = this;
    const written = revision.wire.writeNotification(revision, 'client', { method, params });
    if (!written.ok) throw new TenonError('invalid-outgoing-message', written.refusal.message);
    this.#peer.notify(method, written.value);
  }

  /** Restarts the time limit of a request, within `totalMs` in all. */
  renew(id: RequestId, totalMs: number): void {
    this.#peer.renew(id, totalMs);
  }

  async #send(
    method: string,
    params: Fields | undefined,
    round: Round | undefined,
    options?: ConversationCallOptions,
  ): Promise<Outcome> {
    const { revision } = this;
    const declaresTasks = this.#hasTasks && (method !== 'tools/call' || options?.acceptsTask === true);
    const introduced = this.#introduction?.(declaresTasks);
    const introduction =
      introduced && options?.logLevel !== undefined ? { ...introduced, logLevel: options.logLevel } : introduced;
    const call = { method, ...(params && { params }), ...(introduction && { introduction }), ...(round && { round }) };
    const written = revision.wire.writeRequest(revision, 'client', call);
    if (!written.ok) throw await unwritable(revision, method, written.refusal.reason, written.refusal.explain());
    const result = await this.#peer.request(method, written.value, options).catch((error) => {
      throw namedError(revision.errorNumbers, error, method);
    });
    const read = revision.wire.readResult(revision, 'client', method, result);
    if (read.ok) return read.value;
    const error = new TenonError('invalid-result', `${(await read.refusal.explain()).text}.`, { hint: authorHint });
    this.#ports.onInvalidResult(error, method);
    throw error;
  }

  #sendTraced(
    method: string,
    params: Fields | undefined,
    round: Round | undefined,
    options?: ConversationCallOptions,
  ): Promise<Outcome> {
    const { trace } = this.#ports;
    if (trace === undefined) return this.#send(method, params, round, options);
    return trace({ method, params: params ?? {}, protocolVersion: this.revision.id }, (meta, sent) =>
      this.#send(method, withTrace(params, meta), round, notifyingBoth(options, sent)),
    );
  }

  #answerRequests(method: string, requests: InputRequests, options?: ConversationCallOptions): Promise<Fields> {
    return rethrowCancelled(
      method,
      answerAll(this.#ports.answererFor(options?.answers), method, requests, this.#signals(options)),
      options,
    );
  }

  #signals(options?: RequestOptions): AbortSignal[] {
    const { closedSignal } = this.#ports;
    return options?.signal === undefined ? [closedSignal] : [closedSignal, options.signal];
  }

  /** Whether the URL elicitations that a server requires before a call are complete, so that it can be sent again. */
  async #completeRequiredUrls(method: string, error: unknown, options?: ConversationCallOptions): Promise<boolean> {
    const { urlElicitations } = this.#ports;
    const { elicitUrl, allowedUrlSchemes } = urlElicitations.answers;
    if (elicitUrl === undefined || !this.revision.server.notifications.has(elicitationComplete)) return false;
    const wanted = toRequiredUrls(error, allowedUrlSchemes);
    if (wanted.length === 0) return false;
    const requests = wanted.map((page, at) => [`${at}`, { method: 'elicitation/create', params: { ...page } }]);
    const answers = await this.#answerRequests(method, Object.fromEntries(requests), options);
    const agreed = Object.values(answers).every((answer) => (answer as Fields).action === 'accept');
    if (!agreed) return false;
    const inTime = await rethrowCancelled(method, urlElicitations.completed(wanted, this.#signals(options)), options);
    if (!inTime) throw urlElicitationTimedOut(method, error);
    return true;
  }
}

/** The params with the trace context in `_meta`. A trace context of the caller is not replaced. */
function withTrace(params: Fields | undefined, meta: Readonly<Fields>): Fields | undefined {
  const own = isRecord(params?._meta) ? params._meta : {};
  if ('traceparent' in own || Object.keys(meta).length === 0) return params;
  return { ...params, _meta: { ...meta, ...own } };
}

const notifyingBoth = (
  options: ConversationCallOptions | undefined,
  sent: (id: RequestId) => void,
): ConversationCallOptions & Required<Pick<RequestOptions, 'sent'>> => ({
  ...options,
  sent(id) {
    sent(id);
    options?.sent?.(id);
  },
});
