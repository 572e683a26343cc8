/** Runs a call through as many rounds of questions as it takes, in the way of each lifecycle. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { shownSession } from '../../jsonrpc/logger.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Fields, Incoming, News, Outcome } from '../../protocol/neutral.ts';
import type { CallPorts, Keep, Resumption } from '../features/context.ts';
import { handle } from '../kernel/kernel.ts';
import type { Serving } from '../kernel/serving.ts';
import type { FailedCall } from '../ports/call-limits.ts';
import type { Settled, Suspension } from '../ports/call-outcome.ts';
import type { Caller } from '../ports/caller.ts';
import { type Journal, journalOf } from '../ports/journal.ts';
import type { CallInFlight, Link, PendingReply } from '../ports/link.ts';
import { credentials, type Origin } from '../ports/request-details.ts';
import { failedCall, targetOf } from '../ports/target.ts';
import { isAskable } from '../server-requests/client-support.ts';
import { readReturned } from '../server-requests/input-responses.ts';
import type { Put } from '../server-requests/server-requests.ts';
import { createPut, putAll } from '../server-requests/session-requests.ts';
import { bindingOf } from './state-binding.ts';

/** One call of one caller, from its request to its answer. A class: closures for all this would make a call far slower. */
abstract class Journey implements CallPorts, CallInFlight {
  readonly serving: Serving;
  readonly link: Link;
  readonly message: RequestMessage;
  readonly call: Incoming;
  readonly caller: Caller;
  readonly keep: Keep | undefined;
  /** The arguments as they came, where the call may have to run again: whoever runs may change those it is given. */
  readonly #given: string | undefined;
  counts: boolean;
  reply: PendingReply | undefined = undefined;
  #cancelled = false;
  /**
   * What runs now: the handler, or the wait for an answer. An object, not a function: V8 keeps a function stored anew
   * for every call until a full collection.
   */
  #present: { cancel(reason: unknown): void } | undefined;

  /** `keep` is set for a call by which the connection remembers something. */
  constructor(
    serving: Serving,
    link: Link,
    message: RequestMessage,
    call: Incoming,
    caller: Caller,
    keep: Keep | undefined,
  ) {
    this.serving = serving;
    this.link = link;
    this.message = message;
    this.call = call;
    this.caller = caller;
    this.keep = keep;
    this.counts = keep === undefined;
    const given = call.params.arguments;
    this.#given = given !== undefined && isAskable(caller) ? JSON.stringify(given) : undefined;
  }

  abstract readonly put: Put | undefined;
  abstract readonly unaskable: CallPorts['unaskable'];
  /** What becomes of the questions with which a run has ended. */
  protected abstract ask(suspension: Suspension): void;

  get urlSchemes(): readonly string[] {
    return this.serving.urlSchemes;
  }

  get origin(): Origin {
    const { link, message, caller } = this;
    const { revision } = caller;
    return {
      requestId: message.id,
      transport: link.transport,
      session: link.sessionId === undefined ? undefined : shownSession(link.sessionId),
      header: (name) => (credentials.has(name) ? undefined : link.header?.(name)),
      numberOf: (error) => revision.wire.writeError(revision, error).code,
    };
  }

  get requestId(): string | undefined {
    return this.link.requestId;
  }

  emit(news: News): void {
    this.link.notify(this.caller.revision, news);
  }

  disconnect(retryMs: number): void {
    this.link.disconnect?.(retryMs);
  }

  settled(settled: Settled | RpcError): void {
    if (settled instanceof RpcError || settled.kind === 'done') this.answer(settled);
    else if (this.#cancelled) this.leave();
    else this.ask(settled);
  }

  /** Stops what runs now, and lets the call ask nothing more. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    this.#present?.cancel(reason);
  }

  /** Adds the call to those in flight, if there is room for it. */
  protected enter(): boolean {
    if (this.link.begin(this.message.id, this)) return true;
    this.link.settle(this.message, this.caller.revision, rpcError('overloaded', 'Too many calls run at once'));
    return false;
  }

  protected go(resumption?: Resumption): void {
    const call = resumption === undefined ? this.call : this.asItCame();
    this.#present = handle(this.serving, call, this.caller, this, resumption);
  }

  protected asItCame(): Incoming {
    const { call } = this;
    if (this.#given === undefined) return call;
    return { ...call, params: { ...call.params, arguments: JSON.parse(this.#given) } };
  }

  /** Waits until the signal says that the call was given up. */
  protected patience(): AbortSignal {
    const patience = new AbortController();
    this.#present = { cancel: (reason) => patience.abort(reason) };
    return patience.signal;
  }

  /** Answers, unless the call was cancelled before. */
  protected answer(outcome: Outcome | RpcError): void {
    if (this.leave()) this.link.settle(this.message, this.caller.revision, outcome);
  }

  protected leave(): boolean {
    return this.link.end(this.message.id, this);
  }

  /** Begins the next run with what the earlier ones left, unless the call was given up or its answers are of no use. */
  protected async resume(journal: Journal, answers: Fields, patience: AbortSignal): Promise<void> {
    const returned = await readReturned(journal.returned, answers);
    if (patience.aborted) this.leave();
    else if (returned instanceof RpcError) this.answer(returned);
    else this.go({ journal, answers, returned });
  }

  protected named(): FailedCall {
    return failedCall(this.call.method, targetOf(this.call), this.requestId);
  }
}

/** In a session the client is asked by requests of their own, and sees one long call. */
export class SessionJourney extends Journey {
  readonly unaskable = 'result';
  #put: Put | undefined;

  begin(): void {
    if (this.enter()) this.go();
  }

  get put(): Put | undefined {
    return this.serving.replay ? undefined : this.#asking();
  }

  protected ask({ questions, journal }: Suspension): void {
    const patience = this.patience();
    const put = this.#asking();
    putAll(questions, (question) => put(question, patience)).then(
      (answers) => this.resume(journal, answers, patience),
      (error) => this.answer(RpcError.from(error)),
    );
  }

  #asking(): Put {
    this.#put ??= createPut(this.serving, this.link, this.named(), this.caller);
    return this.#put;
  }
}

/** One answer for every reason, by which a client knows that it may only begin anew. */
const stateRefused = (): RpcError =>
  rpcError('invalid-params', 'requestState is not valid for this call', { requestState: 'refused' });

/** Where every request stands alone, questions travel in the result and what the call knows travels sealed. */
export class LoneJourney extends Journey {
  readonly put = undefined;
  readonly unaskable = 'error';

  begin(): void {
    if (!this.enter()) return;
    const { state, answers = {} } = this.call.round ?? {};
    if (state !== undefined) void this.#goOn(state, answers);
    else if (this.serving.unboundAnswers && Object.keys(answers).length > 0)
      void this.resume(journalOf(answers), {}, this.patience());
    else this.go();
  }

  protected ask(suspension: Suspension): void {
    this.#sealed(suspension).then(
      (outcome) => this.answer(outcome),
      (error) => {
        this.serving.failed(error, this.named());
        this.answer(RpcError.from(error));
      },
    );
  }

  async #goOn(state: string, answers: Fields): Promise<void> {
    const patience = this.patience();
    const journal = await this.#opened(state);
    if (journal === undefined) this.answer(stateRefused());
    else await this.resume(journal as Journal, answers, patience);
  }

  /** What fails here is for the author to hear; the client learns no more than of any state that does not open. */
  async #opened(state: string): Promise<unknown> {
    const { serving, call, caller } = this;
    try {
      return await serving.sealer.open(state, bindingOf(serving.registry(), call, caller));
    } catch (error) {
      serving.failed(error, this.named());
      return undefined;
    }
  }

  async #sealed({ questions, journal }: Suspension): Promise<Outcome> {
    const { serving, caller } = this;
    const state = await serving.sealer.seal(journal, bindingOf(serving.registry(), this.asItCame(), caller));
    return { kind: 'needs-input', questions, state };
  }
}
