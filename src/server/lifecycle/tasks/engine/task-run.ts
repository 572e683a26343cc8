/** One run of a task by this process: it begins with the journal of the runs before, and ends with the next state of the task. */
import { RpcError, TenonError } from '../../../../jsonrpc/errors.ts';
import { isNotStartedData } from '../../../../protocol/cut-off.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Done, Incoming } from '../../../../protocol/neutral.ts';
import type { StepOptions, StepRun } from '../../../definition/context.ts';
import type { CallPorts, Resumption, TaskPorts } from '../../../features/call-ports.ts';
import { handle } from '../../../kernel/kernel.ts';
import type { Serving } from '../../../kernel/serving.ts';
import { type CallOutcome, type InputRequiredOutcome } from '../../../ports/call-outcome.ts';
import type { CallerInfo } from '../../../ports/caller.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Principal } from '../../../ports/principal.ts';
import type { RequestDetails } from '../../../ports/request-details.ts';
import { runStep, stepKey } from '../../../server-requests/run-step.ts';
import { clientKey, type Entry, outcomeEntry, type TaskJournal } from './entries.ts';
import { PacedProgress } from './paced-progress.ts';
import type { Lease, TaskEvent } from './task.ts';
import type { TaskRecord, TaskRecords, TaskWaits } from './task-records.ts';

/** What a run needs of its worker. */
export interface RunHost {
  readonly serving: Serving;
  readonly records: TaskRecords;
  /** Milliseconds that never run backwards. */
  now(): number;
  /** A write that failed is tried again after a pause, until the lease lapses. */
  pause(ms: number): Promise<void>;
  readonly leaseMs: number;
  readonly limits: JournalLimits;
  /** The state of a task has changed. */
  changed(record: TaskRecord): void;
  /** The run has ended: this worker has room for another one. */
  ended(run: TaskRun): void;
}

export interface JournalLimits {
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** An event of the worker that runs a task. */
type OwnEvent = { [K in TaskEvent['type']]: Extract<TaskEvent, { type: K }> }['beat' | 'park' | 'retry' | 'finish'];
type WithoutLease<T> = T extends unknown ? Omit<T, 'lease'> : never;

const ended = 'the run has ended';

/** When a run is tried again that could not begin. */
const notStartedMs = 1000;

export class TaskRun implements CallPorts {
  readonly #host: RunHost;
  readonly #lease: Lease;
  readonly caller: CallerInfo;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly send = undefined;
  readonly remember = undefined;
  #record: TaskRecord;
  #entries: number;
  #chars: number;
  readonly #waits: TaskWaits;
  readonly #begun: ReadonlySet<string>;
  /** Whether an earlier run may have done more than its journal says. */
  readonly #follows: boolean;
  /** Writes are made one after the other: each needs the version that the one before has written. */
  #writing: Promise<unknown> = Promise.resolve();
  readonly #steps = new Set<Promise<unknown>>();
  /** When the lease was last known to be held. */
  #heldAt: number;
  readonly #progress: PacedProgress;
  #state: 'running' | 'ending' | 'ended' = 'running';
  #context: { cancel(reason: unknown): void } | undefined;

  constructor(
    host: RunHost,
    record: TaskRecord,
    lease: Lease,
    caller: CallerInfo,
    principal: Principal | undefined,
    { begun, call }: TaskJournal,
    size: { readonly entries: number; readonly chars: number },
  ) {
    this.#host = host;
    this.#record = record;
    this.#lease = lease;
    this.caller = caller;
    this.principal = principal;
    this.address = call.address;
    this.#waits = record.waits ?? { queuedMs: 0 };
    this.#begun = begun;
    this.#follows = record.task.fence > 1;
    this.#entries = size.entries;
    this.#chars = size.chars;
    this.#heldAt = host.now();
    this.#progress = new PacedProgress({
      write: (progress) => this.#write({ type: 'beat', progress }, []),
      pause: host.pause,
    });
  }

  get id(): string {
    return this.#record.row.id;
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
    if (this.#state === 'ended') this.#context.cancel(ended);
  }

  /** Log messages and other notifications of a task belong to no request. */
  emit(): void {}

  disconnect(): void {}

  readonly task: TaskPorts = {
    describe: () => {
      const { attempts, crashes } = this.#record.task;
      return { id: this.id, attempt: attempts + crashes, ...this.#waits };
    },
    /** Resolves when the result is in the journal. */
    storeStep: (key, run, options, checkRunning) => {
      const step = this.#storeStep(key, run, options, checkRunning);
      this.#steps.add(step);
      const forget = (): void => void this.#steps.delete(step);
      step.then(forget, forget);
      return step;
    },
    progressed: (update) => this.#progress.report(update),
  };

  async #storeStep(
    name: string,
    run: (step: StepRun) => Promise<unknown>,
    options: StepOptions,
    checkRunning: () => void,
  ): Promise<unknown> {
    const key = name.slice(stepKey(this.id, '').length);
    if (options.ifUncertain === 'fail') {
      if (this.#begun.has(key)) throw ifUncertain(key);
      await this.#append({ is: 'begun', key });
    }
    const value = await runStep(name, run, options, checkRunning, this.#follows);
    await this.#append({ is: 'step', key, ...(value === undefined ? {} : { value }) });
    return value;
  }

  settled(settled: CallOutcome | RpcError): void {
    if (this.#state !== 'running') return;
    this.#state = 'ending';
    void this.#settle(settled);
  }

  /** Steps that still run are stored first: their results would be lost otherwise. */
  async #settle(settled: CallOutcome | RpcError): Promise<void> {
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
    const progress = this.#progress.take();
    if (progress !== undefined) await this.#write({ type: 'beat', progress }, []);
    if (!(settled instanceof RpcError) && settled.resultType === 'input_required') await this.#park(settled);
    else await this.#finish(settled instanceof RpcError || settled.resultType === 'complete' ? settled : nested());
    this.#end();
  }

  async #finish(outcome: Done | RpcError): Promise<void> {
    // The handler was not reached, such as since an audit log cannot be written.
    if (outcome instanceof RpcError && isNotStartedData(outcome.data))
      return void (await this.#write({ type: 'retry', afterMs: notStartedMs, counts: false }, []));
    const entry = outcomeEntry(outcome);
    if (outcome instanceof RpcError)
      await this.#write({ type: 'finish', state: 'failed', message: outcome.message }, [entry]);
    else {
      const isToolError = outcome.result.isError === true ? { isToolError: true as const } : {};
      await this.#write({ type: 'finish', state: 'completed', ...isToolError }, [entry]);
    }
  }

  async #park({ inputRequests, journal }: InputRequiredOutcome): Promise<void> {
    const { round, requested, own, returned } = journal as Journal;
    const asked: Entry = {
      is: 'asked',
      round,
      requests: inputRequests,
      ...(returned === undefined ? { digests: requested } : { own }),
    };
    const open = Object.keys(inputRequests).map((key) => clientKey(round, key));
    await this.#write({ type: 'park', open }, [asked]);
  }

  /** The worker is still there. */
  beat(): void {
    if (this.#state === 'ended') return;
    void this.#write({ type: 'beat' }, []);
  }

  /** Ends the run, and leaves the task to another worker without counting this run. */
  async release(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'ending';
    this.#context?.cancel('the worker is closing');
    while (this.#steps.size > 0) await Promise.allSettled(this.#steps);
    await this.#write({ type: 'retry', afterMs: 0, counts: false }, []);
    this.#end();
  }

  /** Whether the lease may have lapsed: another worker may run the task now. */
  get isOverdue(): boolean {
    return this.#host.now() - this.#heldAt >= this.#host.leaseMs * 0.8;
  }

  /** Another worker, a cancellation or the deadline has taken the task: nothing of this run counts any more. */
  abandon(reason: string): void {
    if (this.#state === 'ended') return;
    this.#end();
    this.#context?.cancel(reason);
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#host.ended(this);
  }

  async #append(entry: Entry): Promise<void> {
    const text = JSON.stringify(entry);
    const { maxEntries, maxChars } = this.#host.limits;
    if (this.#entries >= maxEntries || this.#chars + text.length > maxChars) throw journalFull(maxEntries, maxChars);
    if (!(await this.#write({ type: 'beat' }, [entry]))) throw new TenonError('task-lost', lostText);
  }

  /** Writes an event after those before it; false if the task is no longer this worker's. */
  #write(event: WithoutLease<OwnEvent>, entries: readonly Entry[]): Promise<boolean> {
    const written = this.#writing.then(() => this.#attempt({ ...event, lease: this.#lease } as OwnEvent, entries));
    this.#writing = written;
    return written;
  }

  async #attempt(event: OwnEvent, entries: readonly Entry[]): Promise<boolean> {
    const texts = entries.map((entry) => JSON.stringify(entry));
    for (let pauseMs = 50; this.#state !== 'ended'; pauseMs = Math.min(pauseMs * 2, 1000)) {
      const begun = this.#host.now();
      try {
        const changed = await this.#host.records.change(this.#record, event, texts);
        if (typeof changed === 'string') {
          this.abandon(lostText);
          return false;
        }
        this.#heldAt = begun;
        this.#record = changed;
        this.#entries += texts.length;
        for (const { length } of texts) this.#chars += length;
        if (event.type !== 'beat' || event.progress !== undefined) this.#host.changed(changed);
        return true;
      } catch (error) {
        if (this.isOverdue) this.#stop(error);
        else await this.#host.pause(pauseMs);
      }
    }
    return false;
  }

  #stop(error: unknown): void {
    this.#host.serving.failed(error, { method: 'tools/call', target: this.id });
    this.abandon('the store of tasks cannot be reached');
  }
}

const lostText = 'The task was cancelled, has expired, or is run by another worker.';

/** Middleware has replaced the outcome of a run by another task. */
const nested = (): RpcError => rpcError('internal-error', 'A task cannot end with another task');

const ifUncertain = (key: string): TenonError =>
  new TenonError('outcome-unknown', `The step ${JSON.stringify(key)} may have run before, and must not run twice.`);

const journalFull = (entries: number, chars: number): TenonError =>
  new TenonError('journal-full', `The journal of the task is full: it has ${entries} entries or ${chars} characters.`, {
    hint: 'Store less in steps, or raise tasks.maxJournalEntries or tasks.maxJournalChars of createServer().',
  });
