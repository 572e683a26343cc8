/** The context of one call. Its members are created when first read: most handlers never read them. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { checkOptions, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedCall } from '../../ports/guard.ts';
import type { Root } from '../../protocol/generated/types/records.ts';
import type { Incoming, InputRequest } from '../../protocol/neutral.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { checkLevel, checkProgress } from '../checks/context-arguments.ts';
import type { Caller, CloseStreamOptions, Context, TaskAttempt } from '../definition/context.ts';
import type { MiddlewareContext } from '../definition/middleware.ts';
import type { ServerRequest, ServerRequestOptions } from '../definition/server-requests.ts';
import type { CallLimits, CompiledTask } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import { type Journal, newJournal } from '../ports/journal.ts';
import { isDisconnect } from '../ports/link.ts';
import type { RequestDetails } from '../ports/request-details.ts';
import type { SourceCaller } from '../ports/source-caller.ts';
import { clientSupports } from '../server-requests/client-support.ts';
import { suspension } from '../server-requests/input-required.ts';
import { ProtocolForm } from '../server-requests/protocol-form.ts';
import type { SendRequest } from '../server-requests/run/server-request-ports.ts';
import { sleepHere } from '../server-requests/run/sleep.ts';
import { ServerRequests } from '../server-requests/server-requests.ts';
import { type BridgedRun, bridgedRun, type RunContext } from './bridged-run.ts';
import type { CallClock, CallPorts, Resumption } from './call-ports.ts';
import { isLogged, logMessage } from './log-message.ts';

/** The run that a context belongs to. */
export interface ContextRun {
  readonly call: Incoming;
  readonly target: string;
  readonly caller: CallerInfo;
  readonly ports: CallPorts;
  readonly resumption: Resumption | undefined;
  /** Set by a server with a guard. */
  readonly guarded: GuardedCall | undefined;
  readonly limits: CallLimits;
  /** Set for a call whose handler may turn it into a task. */
  readonly laterTask: CompiledTask | undefined;
  /** Ends the run before its handler returns, which is aborted. */
  endEarly(settled: Settled, reason: string): void;
  /** Creates a task for the call, and ends the run with it. */
  continueAsTask(journal: Journal): Promise<void>;
  /** Reports the cause of an error to `onError`. */
  reported(error: RpcError): RpcError;
}

const closeStreamRules: Rules & Record<keyof CloseStreamOptions, Rule> = {
  retryMs: {
    holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    must: 'be whole milliseconds, 0 or more',
  },
};

/** The server requests that a guard decides about. */
const guardedRequests: ReadonlyMap<string, 'sample' | 'elicit'> = new Map([
  [samplingMethod, 'sample'],
  ['elicitation/create', 'elicit'],
]);

export class CallContext implements MiddlewareContext, RunContext, BridgedRun {
  readonly #run: ContextRun;
  #controller: AbortController | undefined;
  #requests: ServerRequests | undefined;
  /** The journal that the run began with. */
  #begunJournal: Journal | undefined;
  /** What the call did before it became a run of a task. */
  #earlier: Journal | undefined;
  #furthest = Number.NEGATIVE_INFINITY;
  #silent = false;
  /** The ids of URL elicitations that are not complete, by key. */
  #urlElicitations: Map<string, string> | undefined;
  #isOfGuard = false;
  /** Set if the call has a time limit. */
  clock: CallClock | undefined;
  /** Whether the run continues after the client disconnects. */
  runsOn = false;
  isSuspended = false;

  constructor(run: ContextRun) {
    this.#run = run;
  }

  get [bridgedRun](): BridgedRun {
    return this;
  }

  get by(): SourceCaller {
    return this.#run.ports;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  get caller(): Caller {
    const { revision, client, capabilities } = this.#run.caller;
    const { principal } = this.#run.ports;
    return { protocolVersion: revision.id, clientInfo: client, capabilities, principal };
  }

  get server(): object {
    return this.#run.limits;
  }

  get sentHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#run.ports.sentHeaders;
  }

  hasRequested(prefix: string): boolean {
    const { requested = {}, answers = {} } = this.#run.resumption?.journal ?? {};
    return Object.keys({ ...requested, ...answers }).some((key) => key.startsWith(prefix));
  }

  forward(key: string, request: InputRequest, options?: ServerRequestOptions): Promise<unknown> {
    return this.#serverRequests().request(key, new ProtocolForm(request), 'forward', options);
  }

  /** The call continues at another process, which has the answers to what earlier runs have requested. */
  continueElsewhere(): void {
    this.#serverRequests().endReplay();
  }

  get request(): RequestDetails {
    return this.#run.ports.origin;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.#run.call.meta;
  }

  /** Whether the call is answered, cancelled, or continues in another run: this run has no effect any more. */
  get finished(): boolean {
    return this.#silent;
  }

  /** Nothing more of the call is sent; its handler is aborted. */
  cancel(reason: unknown): void {
    if (this.runsOn && isDisconnect(reason) && this.#run.ports.task !== undefined) return;
    this.#silent = true;
    if (this.runsOn && isDisconnect(reason)) return;
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
    this.#requests?.cancel(reason);
  }

  /** A server request whose answer the handler never read. */
  unread(): TenonError | undefined {
    return this.#requests?.unread();
  }

  /** Nothing more of the call is sent: it is answered. */
  finish(): void {
    this.#silent = true;
    this.#requests?.cancel('the call has finished');
  }

  // Methods are getters of closures, so that a handler can destructure them: `({ city }, { log }) => …`.
  get log(): Context['log'] {
    return (level, data, logger) => {
      checkLevel(level);
      const least = this.#run.caller.logLevel;
      if (least === undefined || !isLogged(level, least) || this.#isSilenced()) return;
      this.#run.ports.emit(logMessage(level, data, logger));
    };
  }

  get reportProgress(): Context['reportProgress'] {
    return (progress, total, message) => {
      checkProgress(progress, total, message);
      const { progressToken } = this.#run.call.meta;
      const { task } = this.#run.ports;
      if ((progressToken === undefined && task === undefined) || !Number.isFinite(progress)) return;
      if (progress <= this.#furthest) return;
      this.#furthest = progress;
      if (this.#isSilenced()) return;
      const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
      if (task !== undefined) return task.progressed({ progress, ...more });
      this.#run.ports.emit({ method: 'notifications/progress', params: { progressToken, progress, ...more } });
    };
  }

  get callId(): string {
    return this.#begun().callId;
  }

  get round(): number {
    return this.#run.resumption?.journal.round ?? 0;
  }

  get task(): TaskAttempt | undefined {
    return this.#run.ports.task?.describe();
  }

  get inputResponses(): Readonly<Record<string, unknown>> {
    return this.#run.resumption?.returned ?? {};
  }

  get requestState(): unknown {
    return this.#run.resumption?.journal.own;
  }

  get journal(): Journal {
    return this.#serverRequests().journal();
  }

  get clientSupports(): Context['clientSupports'] {
    return (what) => clientSupports(this.#run.caller, what);
  }

  // One body serves the overloads of the interface: the answer is validated by the request.
  get elicit(): Context['elicit'] {
    return (key: string, request: ServerRequest, options?: ServerRequestOptions) =>
      this.#serverRequests().request(key, request, 'elicit', options) as Promise<never>;
  }

  get sample(): Context['sample'] {
    return (key, request, options) => this.#serverRequests().request(key, request, 'sample', options) as Promise<never>;
  }

  get listRoots(): Context['listRoots'] {
    return (key = 'roots') => this.#serverRequests().request(key, 'roots', 'roots') as Promise<Root[]>;
  }

  get requestInput(): Context['requestInput'] {
    return (requests) => this.#serverRequests().requestAll(requests) as Promise<never>;
  }

  get completeElicitation(): Context['completeElicitation'] {
    return (key) => {
      const elicitationId = this.#urlElicitations?.get(key);
      const method = 'notifications/elicitation/complete';
      if (elicitationId === undefined || !this.#run.caller.revision.server.notifications.has(method)) return;
      this.#urlElicitations?.delete(key);
      this.#run.ports.emit({ method, params: { elicitationId } });
    };
  }

  get closeStream(): Context['closeStream'] {
    return (options = {}) => {
      checkOptions('ctx.closeStream()', options, closeStreamRules);
      const { retryMs = 1000 } = options;
      if (!this.#isSilenced()) this.#run.ports.disconnect(retryMs);
    };
  }

  /** Whether the revision has an error that names the URLs to open first. */
  get hasUrlError(): boolean {
    return this.#run.caller.revision.errorNumbers['url-elicitation-required'] !== undefined;
  }

  /** A request is about to be sent, maybe again. Throws if the guard does not allow it. Remembers the id of a URL elicitation by its key. */
  beforeRequest(key: string, { method, params }: InputRequest): void {
    const action = guardedRequests.get(method);
    const refused = action && !this.#isOfGuard && this.#run.guarded?.judgeRequest(action);
    if (refused) throw refused;
    if (params?.mode !== 'url') return;
    this.#urlElicitations ??= new Map();
    this.#urlElicitations.set(key, params.elicitationId as string);
  }

  get step(): Context['step'] {
    return (key, run, options) => this.#serverRequests().step(key, run, options);
  }

  get sleep(): Context['sleep'] {
    return (key, ms) => this.#serverRequests().sleep(key, ms);
  }

  get continueAsTask(): Context['continueAsTask'] {
    return async () => {
      if (this.#run.laterTask === undefined) return;
      await this.#serverRequests().leave((journal) => void this.#run.continueAsTask(journal));
    };
  }

  /** What the call has done so far; `undefined` if that is nothing. */
  get earlier(): Journal | undefined {
    return this.#requests?.journal() ?? this.#run.resumption?.journal;
  }

  /** The journal that the run began with. */
  get begun(): Journal {
    return this.#begun();
  }

  /** An elicitation of the guard itself: the policy does not decide about it. */
  elicitForGuard(key: string, request: ServerRequest): Promise<unknown> {
    // `beforeRequest` is called before this returns.
    this.#isOfGuard = true;
    try {
      return this.#serverRequests().request(key, request, 'elicit');
    } finally {
      this.#isOfGuard = false;
    }
  }

  /** From now on this is a run of a task: what it requests and does next is stored there. */
  becomeRun(): void {
    this.#earlier = this.earlier;
    this.#requests = undefined;
    this.#begunJournal = undefined;
  }

  #serverRequests(): ServerRequests {
    this.#requests ??= this.#createServerRequests();
    return this.#requests;
  }

  #begun(): Journal {
    this.#begunJournal ??= this.#beginJournal();
    return this.#begunJournal;
  }

  /** The keys of the steps of a task have its ID. */
  #beginJournal(): Journal {
    const journal = this.#earlier ?? this.#run.resumption?.journal ?? newJournal();
    const { task } = this.#run.ports;
    return task === undefined ? journal : { ...journal, callId: task.describe().id };
  }

  #createServerRequests(): ServerRequests {
    const created = new ServerRequests(this.#run.caller, this.#begun(), this.#run.resumption?.answers ?? {}, {
      send: this.#run.ports.send && this.#withClockPaused(this.#run.ports.send),
      storeStep: this.#run.ports.task?.storeStep,
      sleep: this.#run.ports.task?.sleep ?? sleepHere(this.#run.limits.deadlines),
      urlSchemes: this.#run.ports.urlSchemes,
      onRequest: (key, request) => this.beforeRequest(key, request),
      suspended: (requests, journal) => this.#suspend(requests, journal),
      failed: (error, isReported) =>
        this.#run.endEarly(isReported ? this.#run.reported(error) : error, 'the call has failed'),
    });
    // A handler that continues after its call may send its first request now.
    if (this.#silent) created.cancel('the call has finished');
    return created;
  }

  /** The next run begins when these requests are answered. */
  #suspend(requests: Readonly<Record<string, InputRequest>>, journal: Journal): void {
    const { limits, call, target } = this.#run;
    const outcome = suspension(limits, { method: call.method, target }, requests, journal);
    this.isSuspended = !(outcome instanceof RpcError);
    this.#run.endEarly(outcome, 'the run ended to request input');
  }

  /** The time that a user takes to answer does not count towards the time limit. */
  #withClockPaused(send: SendRequest): SendRequest {
    return async (request, signal, onProgress, memory) => {
      this.clock?.pause();
      try {
        return await send(request, signal, onProgress, memory);
      } finally {
        this.clock?.resume();
      }
    };
  }

  /** A run that replays an earlier one sends nothing twice. */
  #isSilenced(): boolean {
    return this.#silent || (this.#run.resumption !== undefined && this.#serverRequests().replaying);
  }
}
