/** A call from its request to its answer, over as many rounds of server requests as it takes, in each lifecycle. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { shownSession } from '../../lib/errors/logger.ts';
import { digestOf } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { InputRequiredOutcome, Settled } from '../../ports/call-outcome.ts';
import { isGuardRefusal } from '../../ports/guard.ts';
import { pendingApprovalIn } from '../../ports/pending-approval.ts';
import type { Principal } from '../../ports/principal.ts';
import { shareOf } from '../../ports/share.ts';
import { isChallenge, rpcError } from '../../protocol/errors.ts';
import type { Incoming, Notification, Outcome } from '../../protocol/neutral.ts';
import type { CallPorts, Remember, Resumption } from '../features/call-ports.ts';
import { type FeatureSource, prepareCall } from '../kernel/feature-source.ts';
import { admitAnswer } from '../kernel/guarded-call.ts';
import { handle } from '../kernel/kernel.ts';
import { type StateClaim, type StateUse, stateUsed } from '../kernel/runs/used-states.ts';
import { registryOf, type Serving } from '../kernel/serving.ts';
import type { ErrorContext } from '../ports/call-limits.ts';
import type { QueuePlace } from '../ports/call-slots.ts';
import type { CallerInfo } from '../ports/caller.ts';
import { type Journal, journalWithAnswers } from '../ports/journal.ts';
import type { CallInFlight, Link, PendingReply } from '../ports/link.ts';
import { credentials, type RequestDetails, visibleHeaders } from '../ports/request-details.ts';
import { failedCall, targetOf } from '../ports/target.ts';
import { supportsServerRequests } from '../server-requests/client-support.ts';
import { readReturned } from '../server-requests/input-responses.ts';
import type { SendRequest } from '../server-requests/run/server-request-ports.ts';
import { createSender, sendAll } from '../server-requests/session-requests.ts';
import { bindingOf } from './state-binding.ts';

/** One call, from its request to its answer. A class: with closures a call is far slower. */
abstract class Journey implements CallPorts, CallInFlight {
  readonly serving: Serving;
  readonly link: Link;
  readonly message: RequestMessage;
  /** As it was received, until a source of features has changed it. */
  call: Incoming;
  readonly caller: CallerInfo;
  /** The principal of this request: the link of a session may later have another one with the same key. */
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly remember: Remember | undefined;
  /** The original arguments, if the call may run again: a handler may change those it gets. */
  #originalArguments: string | undefined;
  counts: boolean;
  place: QueuePlace | undefined = undefined;
  reply: PendingReply | undefined = undefined;
  protected isCancelled = false;
  /**
   * The current part of the call: its handler, or the wait for an answer. An object, not a function: V8 retains a
   * function per call until a full collection.
   */
  #current: { cancel(reason: unknown): void } | undefined;

  /** `remember` is set for a call that changes the state of the connection. */
  constructor(
    serving: Serving,
    link: Link,
    message: RequestMessage,
    call: Incoming,
    caller: CallerInfo,
    remember: Remember | undefined,
  ) {
    this.serving = serving;
    this.link = link;
    this.message = message;
    this.call = call;
    this.caller = caller;
    this.principal = link.principal;
    this.address = link.address;
    this.remember = remember;
    this.counts = remember === undefined;
    this.#originalArguments = originalArguments(call, caller);
  }

  abstract readonly send: SendRequest | undefined;
  /** Begins the first run of this request. */
  protected abstract run(): void;
  /** Sends the server requests with which a run has ended. */
  protected abstract requestInput(suspension: InputRequiredOutcome): Promise<void>;

  get urlSchemes(): readonly string[] {
    return this.serving.urlSchemes;
  }

  get origin(): RequestDetails {
    const { link, message, caller } = this;
    const { revision } = caller;
    return {
      requestId: message.id,
      transport: link.transport,
      sessionIdSuffix: link.sessionId === undefined ? undefined : shownSession(link.sessionId),
      header: (name) => (credentials.has(name) ? undefined : link.header?.(name)),
      errorCode: (error) => revision.wire.writeError(revision, error).code,
    };
  }

  get sentHeaders(): Readonly<Record<string, string>> | undefined {
    return visibleHeaders(this.link);
  }

  get connectionKey(): string | undefined {
    return this.link.sessionKey;
  }

  get requestId(): string | undefined {
    return this.link.requestId;
  }

  emit(notification: Notification): void {
    this.link.notify(this.caller.revision, notification);
  }

  disconnect(retryMs: number): void {
    this.link.disconnect?.(retryMs);
  }

  settled(settled: Settled): void {
    if (settled instanceof RpcError || settled.resultType !== 'input_required') this.answer(settled);
    else if (this.isCancelled) this.abandon(settled, 'the call was cancelled');
    else void this.requestInput(settled);
  }

  /** A call that waits for input does not continue. */
  protected abandon({ journal }: InputRequiredOutcome, reason: unknown): void {
    this.leave();
    this.serving.source?.abandoned((journal as Journal).callId, reason);
  }

  /** Cancels the current part; the call can send no more server requests. */
  cancel(reason: unknown): void {
    this.isCancelled = true;
    if (this.place === undefined) this.#current?.cancel(reason);
    else this.leave();
  }

  /** Adds the call to those in flight and runs it, if there is room for it; or it waits for room. */
  begin(): void {
    const refused = this.link.begin(this.message.id, this);
    if (refused !== undefined) this.link.settle(this.message, this.caller.revision, refused);
    else if (this.place === undefined) this.#start();
  }

  admitted(refused: RpcError | undefined): void {
    if (refused === undefined) this.#start();
    else this.answer(refused);
  }

  #start(): void {
    const { source } = this.serving;
    if (source === undefined) this.run();
    else this.#prepare(source);
  }

  /** Begins once the source of features has what the call needs. */
  #prepare(source: FeatureSource): void {
    const prepared = prepareCall(this.serving, source, this, this.call);
    if (!isPromiseLike(prepared)) return this.#prepared(prepared);
    this.waitSignal();
    void prepared.then((call) => this.#prepared(call));
  }

  #prepared(prepared: Incoming | RpcError): void {
    if (this.isCancelled) return void this.leave();
    const refused = prepared instanceof RpcError ? prepared : this.#mirrorRefusal(prepared);
    if (refused !== undefined) return void this.#refuse(refused);
    if (prepared !== this.call) {
      this.call = prepared as Incoming;
      this.#originalArguments = originalArguments(this.call, this.caller);
    }
    this.run();
  }

  /** Where the tools are those of a caller, its headers are checked here. */
  #mirrorRefusal({ method, params }: Incoming): RpcError | undefined {
    const { name } = this.call.params;
    if (method !== 'tools/call' || params.name !== name || this.link.mirrorProblem === undefined) return undefined;
    const tool = registryOf(this.serving, this).tools.get(name as string);
    const problem = this.link.mirrorProblem(tool?.record.inputSchema, params.arguments);
    return problem === undefined ? undefined : rpcError('header-mismatch', problem);
  }

  async #refuse(refused: RpcError): Promise<void> {
    this.answer(await admitAnswer(this.serving.guard, this.call, this, refused));
  }

  protected go(resumption?: Resumption): void {
    const call = resumption === undefined ? this.call : this.receivedCall();
    this.#current = undefined;
    const context = handle(this.serving, call, this, resumption);
    // A handler that requests input at once has begun the wait for it.
    this.#current ??= context;
  }

  protected receivedCall(): Incoming {
    const { call } = this;
    if (this.#originalArguments === undefined) return call;
    return { ...call, params: { ...call.params, arguments: JSON.parse(this.#originalArguments) } };
  }

  /** For a wait between runs: aborts when the call is cancelled. */
  protected waitSignal(): AbortSignal {
    const controller = new AbortController();
    this.#current = { cancel: (reason) => controller.abort(reason) };
    return controller.signal;
  }

  /** Answers, unless the call was cancelled before. */
  protected answer(outcome: Outcome | RpcError): void {
    if (this.leave()) this.link.settle(this.message, this.caller.revision, outcome);
  }

  protected leave(): boolean {
    return this.link.end(this.message.id, this);
  }

  /**
   * Begins the next run with the journal of the earlier ones, unless the call was cancelled or its answers are invalid.
   * Resolves with whether it began.
   */
  protected async resume(journal: Journal, answers: Fields, signal: AbortSignal): Promise<boolean> {
    const returned = await readReturned(journal.returned, answers, journal.isForwarded);
    if (signal.aborted) this.leave();
    else if (returned instanceof RpcError) this.answer(returned);
    else {
      this.go({ journal, answers, returned });
      return true;
    }
    return false;
  }

  protected named(): ErrorContext {
    return failedCall(this.call.method, targetOf(this.call), this.requestId);
  }
}

const originalArguments = ({ params: { arguments: sent } }: Incoming, caller: CallerInfo): string | undefined =>
  sent !== undefined && supportsServerRequests(caller) ? JSON.stringify(sent) : undefined;

/** In a session, server requests are messages of their own, and the client sees one long call. */
export class SessionJourney extends Journey {
  #send: SendRequest | undefined;

  get sessionKey(): string | undefined {
    return this.link.sessionKey;
  }

  protected run(): void {
    this.go();
  }

  get send(): SendRequest | undefined {
    return this.serving.replay ? undefined : this.#sender();
  }

  protected async requestInput(suspension: InputRequiredOutcome): Promise<void> {
    const signal = this.waitSignal();
    const send = this.#sender();
    try {
      const answers = await sendAll(suspension.inputRequests, (request) => send(request, signal));
      if (!(await this.resume(suspension.journal as Journal, answers, signal)))
        this.abandon(suspension, signal.reason ?? 'an answer is not valid');
    } catch (error) {
      this.answer(RpcError.from(error));
      this.abandon(suspension, error);
    }
  }

  #sender(): SendRequest {
    this.#send ??= createSender(this.serving, this.link, this.named(), this.caller);
    return this.#send;
  }
}

/** The same error for every reason: the client can only start the call again. */
const stateRefused = (): RpcError =>
  rpcError('invalid-params', 'requestState is not valid for this call', { requestState: 'refused' });

/** In an exchange, the result has the server requests, and the journal of the call, sealed. */
export class ExchangeJourney extends Journey {
  readonly send = undefined;
  /** Set while a call that continues runs. */
  #use: StateUse | undefined;

  protected run(): void {
    const { state, answers = {} } = this.call.round ?? {};
    if (state !== undefined) void this.#resumeSealed(state, answers);
    else if (!this.serving.requiresState && Object.keys(answers).length > 0)
      void this.resume(journalWithAnswers(answers), {}, this.waitSignal());
    else this.go();
  }

  protected async requestInput(suspension: InputRequiredOutcome): Promise<void> {
    try {
      this.answer(await this.#sealed(suspension));
    } catch (error) {
      this.serving.failed(error, this.named());
      this.answer(RpcError.from(error));
      this.abandon(suspension, error);
    }
  }

  async #resumeSealed(state: string, answers: Fields): Promise<void> {
    const signal = this.waitSignal();
    const claimed = await this.#claimed(state, answers, signal);
    if (claimed === undefined) {
      this.serving.guard?.countRefusal(this.address, 'request-state-refused');
      return this.answer(await admitAnswer(this.serving.guard, this.call, this, stateRefused()));
    }
    const { journal, claim } = claimed;
    if (claim.kind === 'used') {
      const { outcome } = claim;
      if (outcome instanceof RpcError && outcome.cause !== undefined) this.serving.failed(outcome.cause, this.named());
      return this.answer(await admitAnswer(this.serving.guard, this.call, this, outcome));
    }
    this.#use = claim;
    if (await this.resume(journal, answers, signal)) return;
    this.#use = undefined;
    void claim.release();
  }

  /** A call that has finished uses up its states, also one that was cancelled: its handler may have done its work. */
  override settled(settled: Settled): void {
    if (this.#use === undefined) super.settled(settled);
    else void this.#settleUse(this.#use, settled);
  }

  /** The next round may reach another node before the store knows that this one has ended. */
  async #settleUse(use: StateUse, settled: Settled): Promise<void> {
    this.#use = undefined;
    await this.#endUse(use, settled);
    super.settled(settled);
  }

  #endUse(use: StateUse, settled: Settled): MaybePromise<void> {
    // A client that gets other credentials, or the permission, sends the same request again.
    if (settled instanceof RpcError && (isChallenge(settled) || isGuardRefusal(settled)) && !this.isCancelled)
      return use.release();
    if (settled instanceof RpcError) return use.finish(this.isCancelled ? stateUsed() : settled);
    const isOver = settled.resultType === 'complete' && pendingApprovalIn(settled.result) === undefined;
    return isOver ? use.finish(settled) : use.release();
  }

  /** A failure is reported to `onError`; the client gets the same error as for any invalid state. */
  async #claimed(
    state: string,
    answers: Fields,
    signal: AbortSignal,
  ): Promise<{ journal: Journal; claim: StateClaim } | undefined> {
    const { serving, call, principal } = this;
    try {
      const opened = await serving.sealer.open(
        state,
        bindingOf(registryOf(serving, this), call, principal),
        serving.now(),
      );
      if (opened === undefined) return undefined;
      const journal = opened as Journal;
      const digest = digestOf([state, answers]);
      const owner = principal?.key ?? '';
      const round = { callId: journal.callId, digest, owner, share: shareOf(this), signal };
      return { journal, claim: await serving.usedStates.claim(round) };
    } catch (error) {
      serving.failed(error, this.named());
      return undefined;
    }
  }

  async #sealed({ inputRequests, journal }: InputRequiredOutcome): Promise<Outcome> {
    const { serving, principal, link } = this;
    const { sealer } = serving;
    // Only over HTTP another process can get the next request of the call.
    if (link.transport === 'tcp') sealer.warnOfOwnKey();
    const state = await sealer.seal(
      journal,
      bindingOf(registryOf(serving, this), this.receivedCall(), principal),
      serving.now(),
    );
    return { resultType: 'input_required', inputRequests, state };
  }
}
