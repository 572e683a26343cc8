/** One run of a task by this process: it begins with the journal of the runs before, and ends with the next state of the task. */
import { RpcError } from '../../../../jsonrpc/errors.ts';
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { InputRequiredOutcome, Settled } from '../../../../ports/call-outcome.ts';
import type { Principal } from '../../../../ports/principal.ts';
import { isNotStartedData } from '../../../../protocol/error-data.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Done, Incoming } from '../../../../protocol/neutral.ts';
import type { StepOptions, StepRun } from '../../../definition/context.ts';
import type { CallPorts, Resumption, TaskPorts } from '../../../features/call-ports.ts';
import { handle } from '../../../kernel/kernel.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { CompiledRetry } from '../../../ports/call-limits.ts';
import type { CallerInfo } from '../../../ports/caller.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { RequestDetails } from '../../../ports/request-details.ts';
import { failureOf } from '../../../server-requests/request-errors.ts';
import { runStep, stepKey } from '../../../server-requests/run/run-step.ts';
import { outcomeEntry, type TaskJournal } from './entries.ts';
import { type JournalSize, LeasedTask, type LeaseHost, type TakenLease } from './leased-task.ts';
import { PacedProgress } from './paced-progress.ts';
import { parkedWith } from './parking.ts';
import { isRetried, retryDelayMs, retryText } from './retry.ts';
import type { TaskRecord, TaskWaits } from './task-records.ts';

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

/** When a run is tried again that could not begin. */
const notStartedMs = 1000;

export class TaskRun implements CallPorts {
  readonly id: string;
  readonly #host: RunHost;
  readonly #leased: LeasedTask;
  readonly #known: TaskJournal;
  readonly caller: CallerInfo;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly send = undefined;
  readonly remember = undefined;
  readonly #waits: TaskWaits;
  /** Whether an earlier run may have done more than its journal says. */
  readonly #follows: boolean;
  readonly #steps = new Set<Promise<unknown>>();
  readonly #progress: PacedProgress;
  /** Set if the handler threw an error after which the task is tried again. */
  #retry: CompiledRetry | undefined;
  #state: 'running' | 'ending' | 'ended' = 'running';
  #context: { cancel(reason: unknown): void } | undefined;

  constructor(
    host: RunHost,
    record: TaskRecord,
    taken: TakenLease,
    caller: CallerInfo,
    principal: Principal | undefined,
    known: TaskJournal,
    size: JournalSize,
  ) {
    this.id = record.row.id;
    this.#host = host;
    this.#leased = new LeasedTask(host, record, taken, size, (reason, cause) => this.#lost(reason, cause));
    this.caller = caller;
    this.principal = principal;
    this.address = known.call.address;
    this.#waits = record.waits ?? { queuedMs: 0 };
    this.#known = known;
    this.#follows = record.task.fence > 1;
    this.#progress = new PacedProgress({
      write: (progress) => this.#leased.write({ type: 'beat', progress }),
      pause: host.pause,
    });
  }

  get urlSchemes(): readonly string[] {
    return this.#host.serving.urlSchemes;
  }

  get origin(): RequestDetails {
    const { revision } = this.caller;
    return {
      requestId: this.id,
      transport: undefined,
      sessionIdSuffix: undefined,
      header: () => undefined,
      errorCode: (error) => revision.wire.writeError(revision, error).code,
    };
  }

  start(call: Incoming, resumption: Resumption | undefined): void {
    this.#context = handle(this.#host.serving, call, this.caller, this, resumption);
    if (this.#state === 'ended') this.#context.cancel('the run has ended');
  }

  /** Log messages and other notifications of a task belong to no request. */
  emit(): void {}

  disconnect(): void {}

  readonly task: TaskPorts = {
    describe: () => {
      const { attempts, crashes } = this.#leased.record.task;
      return { id: this.id, attempt: attempts + crashes, ...this.#waits };
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
      const { progress: furthest } = this.#leased.record.task;
      if (furthest === undefined || update.progress > furthest.progress) this.#progress.report(update);
    },
    threw: (error, retry) => {
      if (this.#state === 'running' && isRetried(error)) this.#retry = retry;
    },
    sleep: {
      now: () => this.#leased.record.row.now,
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
    void this.#settle(settled);
  }

  async #settle(settled: Settled): Promise<void> {
    await this.#stepsStored();
    const progress = this.#progress.take();
    if (progress !== undefined) await this.#leased.write({ type: 'beat', progress });
    const retry = this.#retry;
    if (!(settled instanceof RpcError) && settled.resultType === 'input_required') await this.#park(settled);
    else if (retry !== undefined && this.#attempts < retry.attempts) await this.#tryAgain(retry);
    else await this.#finish(settled instanceof RpcError || settled.resultType === 'complete' ? settled : nested());
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

  async #finish(outcome: Done | RpcError): Promise<void> {
    // The handler did not run, for example because the audit log cannot be written.
    if (outcome instanceof RpcError && isNotStartedData(outcome.data))
      return void (await this.#leased.write({ type: 'retry', afterMs: notStartedMs, counts: false }));
    const entry = outcomeEntry(outcome);
    const full = outcome instanceof RpcError ? undefined : this.#leased.checkResult(entry);
    if (full !== undefined) return this.#tooLong(full);
    if (outcome instanceof RpcError)
      await this.#leased.write({ type: 'finish', state: 'failed', message: outcome.message }, [entry]);
    else {
      await this.#leased.write({ type: 'finish', state: 'completed', ...toolErrorIn(outcome) }, [entry]);
    }
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
    if (this.#state !== 'running') return;
    this.#state = 'ending';
    this.#context?.cancel('the worker is closing');
    await this.#stepsStored();
    await this.#leased.write({ type: 'retry', afterMs: 0, counts: false });
    this.#end();
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
    this.#leased.end();
    this.#host.ended(this);
  }
}

/** Middleware has replaced the outcome of a run by another task. */
const nested = (): RpcError => rpcError('internal-error', 'A task cannot end with another task');

const ifUncertain = (key: string): TenonError =>
  new TenonError('outcome-unknown', `The step ${JSON.stringify(key)} may have run before, and must not run twice.`);

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
