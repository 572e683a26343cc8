/** One run of a task by this process: it begins with the journal of the runs before, and ends with the next state of the task. */
import { RpcError } from '../../../../jsonrpc/errors.ts';
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { InputRequiredOutcome, Settled, TaskOutcome } from '../../../../ports/call-outcome.ts';
import type { Principal } from '../../../../ports/principal.ts';
import { isNotStartedData } from '../../../../protocol/error-data.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Done, Incoming, Notification } from '../../../../protocol/neutral.ts';
import type { StepOptions, StepRun } from '../../../definition/context.ts';
import type { CallPorts, Resumption, TaskPorts } from '../../../features/call-ports.ts';
import { type FeatureSource, prepareCall } from '../../../kernel/feature-source.ts';
import { handle } from '../../../kernel/kernel.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { CompiledRetry } from '../../../ports/call-limits.ts';
import type { CallerInfo } from '../../../ports/caller.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { RequestDetails } from '../../../ports/request-details.ts';
import { failureOf } from '../../../server-requests/request-errors.ts';
import { runStep, stepKey } from '../../../server-requests/run/run-step.ts';
import { type KnownJournal, outcomeEntry } from './entries.ts';
import { type HeldTask, type JournalSize, LeasedTask, type LeaseHost } from './leased-task.ts';
import { PacedProgress } from './paced-progress.ts';
import { parkedWith } from './parking.ts';
import { isRetried, retryDelayMs, retryText } from './retry.ts';
import type { TaskWaits } from './task-records.ts';
import { type ConnectedCall, WaitingCall } from './waiting-call.ts';

/** The callbacks of the worker of a run. */
export interface RunHost extends LeaseHost {
  readonly serving: Serving;
  /** From 0 to 1. */
  random(): number;
  /** The task can be taken again after this time. */
  wakeIn(ms: number): void;
  /** The run has ended: this worker has room for another one. */
  ended(run: TaskRun): void;
}

/** The call that a first run may answer. */
export interface FirstRun {
  readonly call: ConnectedCall;
  readonly answerWithinMs: number;
}

/** When a run is tried again that could not begin. */
const notStartedMs = 1000;

export class TaskRun implements CallPorts {
  readonly #host: RunHost;
  readonly #leased: LeasedTask;
  readonly #known: KnownJournal;
  readonly caller: CallerInfo;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly send = undefined;
  readonly remember = undefined;
  readonly #waits: TaskWaits | undefined;
  /** Whether an earlier run may have done more than its journal says. */
  readonly #follows: boolean;
  readonly #steps = new Set<Promise<unknown>>();
  readonly #progress: PacedProgress;
  /** Set for the first run of a task whose call waits for it. */
  readonly #waiting: WaitingCall | undefined;
  readonly #received: CallPorts | undefined;
  /** Set if the handler threw an error after which the task is tried again. */
  #retry: CompiledRetry | undefined;
  #state: 'running' | 'ending' | 'ended' = 'running';
  #context: { cancel(reason: unknown): void } | undefined;

  constructor(
    host: RunHost,
    held: HeldTask,
    caller: CallerInfo,
    of: Pick<CallPorts, 'principal' | 'address'>,
    known: KnownJournal,
    size: JournalSize,
    first?: FirstRun,
  ) {
    this.#host = host;
    const onLost = (reason: string, cause?: unknown): void => this.#lost(reason, cause);
    this.#leased = new LeasedTask(host, held, size, onLost);
    this.#waiting =
      first && new WaitingCall(first.call, this.#leased, host.serving, first.answerWithinMs, () => this.#forsake());
    this.#received = first?.call.ports;
    this.caller = caller;
    this.principal = of.principal;
    this.address = of.address;
    this.#waits = first === undefined ? held.record.waits : undefined;
    this.#known = known;
    this.#follows = first === undefined && held.record.task.fence > 1;
    this.#progress = new PacedProgress({
      write: (progress) => this.#leased.write({ type: 'beat', progress }),
      pause: host.pause,
    });
  }

  get urlSchemes(): readonly string[] {
    return this.#host.serving.urlSchemes;
  }

  get requestId(): string | undefined {
    return this.#received?.requestId;
  }

  get origin(): RequestDetails {
    if (this.#received !== undefined) return this.#received.origin;
    const { revision } = this.caller;
    return {
      requestId: this.id,
      transport: undefined,
      sessionIdSuffix: undefined,
      header: () => undefined,
      errorCode: (error) => revision.wire.writeError(revision, error).code,
    };
  }

  get sentHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#received?.sentHeaders;
  }

  start(call: Incoming, resumption: Resumption | undefined): void {
    const { serving } = this.#host;
    if (serving.source === undefined) this.#run(call, resumption);
    else void this.#prepare(serving.source, call, resumption);
  }

  async #prepare(source: FeatureSource, call: Incoming, resumption: Resumption | undefined): Promise<void> {
    const prepared = await prepareCall(this.#host.serving, source, this, call);
    if (this.#state === 'ended') return;
    if (prepared instanceof RpcError) this.settled(prepared);
    else this.#run(prepared, resumption);
  }

  #run(call: Incoming, resumption: Resumption | undefined): void {
    this.#context = handle(this.#host.serving, call, this, resumption);
    if (this.#state === 'ended') this.#context.cancel('the run has ended');
  }

  /** Sets the context of a run that is a call: the call ends with the run. */
  belongsTo(context: { cancel(reason: unknown): void }): void {
    this.#context = context;
  }

  /** Log messages and other notifications of a task belong to no request, unless its call still waits. */
  emit(notification: Notification): void {
    this.#waiting?.emit(notification);
  }

  disconnect(retryMs: number): void {
    this.#waiting?.open?.ports.disconnect(retryMs);
  }

  readonly task: TaskPorts = {
    describe: () => {
      const { attempts, crashes } = this.#leased.record.task;
      return { id: this.id, attempt: attempts + crashes, ...(this.#waits ?? { queuedMs: 0 }) };
    },
    /** Resolves when the result is in the journal. */
    storeStep: (key, run, options, checkRunning) => {
      const step = this.#runStep(key, run, options, checkRunning);
      this.#steps.add(step);
      const forget = (): void => void this.#steps.delete(step);
      step.then(forget, forget);
      return step;
    },
    /** A later run repeats what an earlier one has reported. */
    progressed: (update) => {
      this.#waiting?.progressed(update);
      const { progress: furthest } = this.#leased.record.task;
      if (furthest !== undefined && update.progress <= furthest.progress) return;
      if (this.#leased.isStored) this.#progress.report(update);
      else void this.#leased.write({ type: 'beat', progress: update });
    },
    threw: (error, retry) => {
      if (this.#state === 'running' && isRetried(error)) this.#retry = retry;
    },
    sleep: {
      now: () => this.#leased.now(),
      maxMs: () => {
        const { endsAt, now } = this.#leased.record.row;
        return endsAt - now;
      },
      hint: 'The task would end at its deadline before: raise task.deadlineMs of its tool, or sleep less.',
    },
  };

  async #runStep(
    name: string,
    run: (step: StepRun) => Promise<unknown>,
    options: StepOptions,
    checkRunning: () => void,
  ): Promise<unknown> {
    const key = name.slice(stepKey(this.id, '').length);
    if (options.ifUncertain === 'fail') {
      if (this.#known.begun.has(key)) throw ifUncertain(key);
      await this.#leased.append({ is: 'begun', key });
    }
    const value = await runStep(name, run, options, checkRunning, this.#follows);
    await this.#leased.append({ is: 'step', key, ...(value === undefined ? {} : { value }) });
    return value;
  }

  settled(settled: Settled): void {
    if (this.#state !== 'running') return;
    this.#state = 'ending';
    const isPlain = !this.#leased.isStored && this.#waiting?.isAnnouncing === false && this.#isFinal(settled);
    if (!isPlain || this.#steps.size > 0) return void this.#settle(settled);
    // Nothing is stored, and nothing has to be.
    this.#waiting?.answer(settled);
    this.#end();
  }

  /** Whether the task ends with this outcome of the run. */
  #isFinal(settled: Settled): settled is Done | TaskOutcome | RpcError {
    if (!(settled instanceof RpcError) && settled.resultType === 'input_required') return false;
    return this.#retry === undefined || this.#attempts >= this.#retry.attempts;
  }

  async #settle(settled: Settled): Promise<void> {
    await this.#stepsStored();
    if (this.#waiting?.isAnnouncing) await this.#waiting.announce();
    if (this.#waiting?.open !== undefined && !(await this.#isTaskFor(settled))) return;
    const progress = this.#progress.take();
    if (progress !== undefined) await this.#leased.write({ type: 'beat', progress });
    if (this.#isFinal(settled)) {
      const outcome = settled instanceof RpcError || settled.resultType === 'complete' ? settled : nested();
      await this.#finish(outcome);
    } else if (!(settled instanceof RpcError) && settled.resultType === 'input_required') await this.#park(settled);
    else if (this.#retry !== undefined) await this.#tryAgain(this.#retry);
    this.#end();
  }

  /** Whether the outcome of the run is for its task: one that waits, or is tried again, needs one. */
  async #isTaskFor(settled: Settled): Promise<boolean> {
    const isFinal = this.#isFinal(settled);
    if (isFinal && this.#leased.isStored) return true;
    if (!isFinal && (await this.#waiting?.announce())) return this.#state === 'ending';
    const isWait = !(settled instanceof RpcError) && settled.resultType === 'input_required';
    this.#waiting?.answer(isWait ? notStored() : settled);
    this.#end();
    return false;
  }

  /** The client has cancelled the call, or is gone: its handler was aborted. */
  async #forsake(): Promise<void> {
    if (this.#leased.isStored) await this.#finish(rpcError('server-error', 'The call was cancelled'));
    this.#end();
  }

  /** The results of steps that still run would be lost otherwise. */
  async #stepsStored(): Promise<void> {
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
  }

  get #attempts(): number {
    return this.#leased.record.task.attempts;
  }

  async #tryAgain(retry: CompiledRetry): Promise<void> {
    const afterMs = retryDelayMs(retry, this.#attempts, this.#host.random());
    const message = retryText(retry, this.#attempts, afterMs);
    if (await this.#leased.write({ type: 'retry', afterMs, counts: true, message })) this.#host.wakeIn(afterMs);
  }

  /** Stores the outcome, and answers the call if it waits for it. */
  async #finish(outcome: Done | RpcError): Promise<void> {
    // The handler did not run, for example because the audit log cannot be written.
    if (outcome instanceof RpcError && isNotStartedData(outcome.data))
      return void (await this.#leased.write({ type: 'retry', afterMs: notStartedMs, counts: false }));
    const entry = outcomeEntry(outcome);
    const full = outcome instanceof RpcError ? undefined : this.#leased.checkResult(entry);
    if (full !== undefined) return this.#tooLong(full);
    const end =
      outcome instanceof RpcError
        ? ({ state: 'failed', message: outcome.message } as const)
        : ({ state: 'completed', ...toolErrorIn(outcome) } as const);
    if (await this.#leased.write({ type: 'finish', ...end }, [entry])) this.#waiting?.answer(outcome);
  }

  async #park({ inputRequests, journal }: InputRequiredOutcome): Promise<void> {
    const { sleeping } = journal as Journal;
    const clockError = sleeping === undefined ? 0 : await this.#leased.clockError().catch(() => 0);
    const { open, wakeAt, entries } = parkedWith(inputRequests, journal as Journal, this.#known, clockError);
    const full = this.#leased.checkRoom(entries);
    if (full !== undefined) return this.#tooLong(full);
    const written = await this.#leased.write(
      { type: 'park', open, ...(wakeAt === undefined ? {} : { wakeAt }) },
      entries,
    );
    if (written && wakeAt !== undefined) this.#host.wakeIn(wakeAt - this.#leased.record.row.now);
  }

  /** Ends a task whose journal is full. */
  async #tooLong(full: TenonError): Promise<void> {
    this.#host.serving.failed(full, { method: 'tools/call', target: this.id });
    await this.#finish(failureOf(full));
  }

  /** Renews the lease. */
  beat(): void {
    if (this.#state === 'ended') return;
    void this.#leased.write({ type: 'beat' });
  }

  /** Ends the run, and leaves the task to another worker without counting this run. */
  async release(): Promise<void> {
    if ((await this.#waiting?.announce()) === false || this.#state !== 'running') return;
    this.#state = 'ending';
    this.#context?.cancel('the worker is closing');
    await this.#stepsStored();
    await this.#leased.write({ type: 'retry', afterMs: 0, counts: false });
    this.#end();
  }

  get id(): string {
    return this.#leased.id;
  }

  /** Whether the task has a record. */
  get isStored(): boolean {
    return this.#leased.isStored;
  }

  /** Whether the worker of an earlier run was lost, and this one has not stored a step yet. */
  get isSuspect(): boolean {
    return this.isStored && this.#leased.record.task.suspect !== undefined;
  }

  /** Whether the lease may have lapsed: another worker may run the task now. */
  get isOverdue(): boolean {
    return this.#leased.isOverdue;
  }

  /** Another worker, a cancellation or the deadline has ended this run: its outcome is dropped. */
  abandon(reason: string): void {
    if (this.#state === 'ended') return;
    this.#end();
    this.#context?.cancel(reason);
  }

  #lost(reason: string, cause: unknown): void {
    if (cause !== undefined) this.#host.serving.failed(cause, { method: 'tools/call', target: this.id });
    this.abandon(reason);
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    // Another worker may have the task, and its caller asks for it there.
    this.#waiting?.answerWithTask();
    this.#leased.end();
    this.#host.ended(this);
  }
}

/** A call that has to wait, and cannot become a task. */
const notStored = (): RpcError =>
  rpcError('overloaded', 'Too many of your tasks have not finished yet, or their store is unavailable');

/** Middleware has replaced the outcome of a run by another task. */
const nested = (): RpcError => rpcError('internal-error', 'A task cannot end with another task');

const ifUncertain = (key: string): TenonError =>
  new TenonError('outcome-unknown', `The step ${JSON.stringify(key)} may have run before, and must not run twice.`, {
    details: { step: key },
  });

const maxMessageChars = 200;

/** The error that a tool reports is part of the status too. */
function toolErrorIn({ result }: Done): { readonly isToolError?: true; readonly message?: string } {
  if (result.isError !== true) return {};
  const first = (Array.isArray(result.content) ? result.content[0] : undefined) as
    | { readonly text?: unknown }
    | undefined;
  return typeof first?.text === 'string'
    ? { isToolError: true, message: first.text.slice(0, maxMessageChars) }
    : { isToolError: true };
}
