/** Runs tasks in this process: takes those that are due, holds their leases, and hands them back when it closes. */

import { RpcError } from '../../../../jsonrpc/errors.ts';
import { type Clock, type StopTimer } from '../../../../lib/time/deadlines.ts';
import { createPrincipal } from '../../../../ports/principal.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { CallPorts } from '../../../features/call-ports.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { CallerInfo } from '../../../ports/caller.ts';
import { readReturned } from '../../../server-requests/input-responses.ts';
import { type KnownJournal, outcomeEntry, readJournal, type TaskJournal } from './entries.ts';
import type { HeldTask, JournalLimits } from './leased-task.ts';
import type { Lease } from './task.ts';
import type { ClaimedTask, TaskRecord, TaskRecords } from './task-records.ts';
import { type FirstRun, type RunHost, TaskRun } from './task-run.ts';

export interface WorkerPorts {
  readonly serving: Serving;
  readonly records: TaskRecords;
  readonly clock: Clock;
  random(): number;
  /** The name of this process among those that share the store. */
  readonly node: string;
  /** The kinds of tasks that this process can run, now. */
  kinds(): readonly string[];
  revision(id: string): Revision | undefined;
  /** The state of a task has changed here. */
  changed(record: TaskRecord): void;
}

export interface WorkerSettings {
  /** How many tasks run at once. */
  readonly maxRuns: number;
  readonly leaseMs: number;
  /** How often a worker reads the store for tasks, since hints may be lost. */
  readonly pollMs: number;
  readonly journal: JournalLimits;
}

/** What a run of a call needs that was received here. */
export interface ReceivedRun {
  readonly held: HeldTask;
  readonly caller: CallerInfo;
  readonly of: Pick<CallPorts, 'principal' | 'address'>;
  readonly known: KnownJournal;
  readonly first: FirstRun;
}

/** Tasks that are ended at a time. */
const sweepCount = 100;

export class TaskWorker {
  readonly #ports: WorkerPorts;
  readonly #settings: WorkerSettings;
  readonly #runs = new Set<TaskRun>();
  readonly #host: RunHost;
  /** Claimed, but not running yet. */
  #beginning = 0;
  #state: 'idle' | 'open' | 'closing' | 'closed' = 'idle';
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  /** Whether there may be a suspect to claim: their queue is not read at every wake. */
  #seeksSuspect = false;
  /** A suspect that is claimed, but not running yet. */
  #beginsSuspect = false;
  /** The suspect that runs here, or the last one. */
  #suspect: TaskRun | undefined;
  readonly #timers: StopTimer[] = [];
  #onEmpty: (() => void) | undefined;

  constructor(ports: WorkerPorts, settings: WorkerSettings) {
    const { serving, records, clock, changed } = ports;
    this.#ports = ports;
    this.#settings = settings;
    this.#host = {
      serving,
      records,
      leaseMs: settings.leaseMs,
      limits: settings.journal,
      now: clock.now,
      random: ports.random,
      // A later task is found by the next poll.
      wakeIn: (ms) => {
        if (ms < settings.pollMs) clock.after(Math.max(ms, 0), () => this.wake()).hold?.(false);
      },
      pause: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
      changed,
      ended: (run) => {
        this.#runs.delete(run);
        if (run === this.#suspect) this.#forgetSuspect();
        if (this.#runs.size === 0) this.#onEmpty?.();
        // The queue is not read after each call that ends at once.
        if (run.isStored || this.#claimAgain) this.wake();
      },
    };
  }

  get #room(): number {
    return this.#settings.maxRuns - this.#runs.size - this.#beginning;
  }

  /** How many tasks run here. */
  get running(): number {
    return this.#runs.size;
  }

  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'open';
    const { leaseMs, pollMs } = this.#settings;
    this.#repeat(pollMs, () => this.#wakeForAll());
    this.#repeat(leaseMs / 3, () => this.#beat());
    this.#repeat(leaseMs, () => this.#sweep());
    // A process that starts may follow one that was lost with its suspect.
    this.#wakeForAll();
  }

  /** Called when there may be a suspect, too. */
  #wakeForAll(): void {
    this.#seeksSuspect = true;
    this.wake();
  }

  /** Whether a call that arrives can run here at once: there is room, and no task waits for it. */
  get hasRoom(): boolean {
    const isBehind = this.#claimAgain && this.#claiming === undefined;
    return this.#state === 'open' && !isBehind && this.#room > 0;
  }

  /** Creates the first run of the task of a call that was received here. */
  createRun({ held, caller, of, known, first }: ReceivedRun): TaskRun {
    const run = new TaskRun(this.#host, held, caller, of, known, { entries: 1, chars: 0 }, first);
    this.#runs.add(run);
    return run;
  }

  /** Milliseconds that never run backwards. */
  now(): number {
    return this.#host.now();
  }

  /** Called when there may be a task to claim. */
  wake(): void {
    if (this.#state !== 'open') return;
    this.#claimAgain = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      // It was woken after its last read.
      if (this.#claimAgain && this.#room > 0) this.wake();
    });
  }

  /** A task was changed elsewhere, maybe cancelled: its run here finds out at once. */
  check(id: string): void {
    this.#find(id)?.beat();
  }

  /** The run of a task that is stored. */
  #find(id: string): TaskRun | undefined {
    for (const run of this.#runs) if (run.isStored && run.id === id) return run;
    return undefined;
  }

  /** Takes no more tasks, and hands back those that run once their steps are stored. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closing';
    for (const stop of this.#timers) stop();
    await this.#claiming;
    await Promise.all([...this.#runs].map((run) => run.release()));
    if (this.#runs.size > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    this.#state = 'closed';
  }

  async #claim(): Promise<void> {
    const { records, node, kinds } = this.#ports;
    while (this.#claimAgain && this.#state === 'open') {
      this.#claimAgain = false;
      if (this.#room <= 0) return;
      try {
        if (this.#seeksSuspect && !this.#hasSuspect) await this.#claimSuspect();
        const room = this.#room;
        if (room <= 0) continue;
        const askedAt = this.#host.now();
        const claimed = await records.claim(kinds(), room, node);
        // If all free slots were filled, there may be more tasks.
        if (claimed.length === room) this.#claimAgain = true;
        for (const record of claimed) void this.#begin(record, askedAt);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  /** Before the others, which could take all the room: there is one of them at most. */
  async #claimSuspect(): Promise<void> {
    this.#seeksSuspect = false;
    const { records, node, kinds } = this.#ports;
    const askedAt = this.#host.now();
    const found = await records.claimSuspect(kinds(), node);
    if (found === undefined) return;
    this.#beginsSuspect = true;
    void this.#begin(found, askedAt, true).finally(() => {
      this.#beginsSuspect = false;
      // It did not come to a run.
      if (!this.#hasSuspect) this.#wakeForAll();
    });
  }

  get #hasSuspect(): boolean {
    return this.#beginsSuspect || this.#suspect?.isSuspect === true;
  }

  #forgetSuspect(): void {
    this.#suspect = undefined;
    this.#seeksSuspect = true;
  }

  async #begin(record: ClaimedTask, askedAt: number, isSuspectTurn = false): Promise<void> {
    const { lease, texts, failure } = record;
    // Calls that arrived meanwhile have taken the room.
    if (this.#room <= 0) return this.#leave(record, lease);
    this.#beginning++;
    try {
      if (failure !== undefined) return await this.#fail(record, lease, failure);
      if (record.task.suspect === undefined) return await this.#run({ record, lease, askedAt }, texts);
      if (!isSuspectTurn) return await this.#postpone(record, lease);
      const begun = await this.#ports.records.change(record, { type: 'suspect', lease });
      if (typeof begun === 'string') return;
      await this.#run({ record: { ...begun, ...(record.waits && { waits: record.waits }) }, lease, askedAt }, texts);
    } catch (error) {
      // The lease lapses, and the task is tried again.
      this.#failed(error, record.row.id);
    } finally {
      this.#beginning--;
    }
  }

  /** A task whose process was lost waits for the turn of suspects. */
  async #postpone(record: TaskRecord, lease: Lease): Promise<void> {
    await this.#handBack(record, lease);
    this.#wakeForAll();
  }

  async #run(held: HeldTask, texts: readonly string[]): Promise<void> {
    const { record, lease } = held;
    this.#ports.changed(record);
    const found = readJournal(record.row.id, texts);
    const { call, journal, answers } = found;
    const revision = this.#ports.revision(call.revision);
    if (revision === undefined) return this.#fail(record, lease, notServed(call.revision));
    const returned = await readReturned(journal.returned, answers, journal.isForwarded);
    if (returned instanceof RpcError) return this.#fail(record, lease, returned);
    if (this.#state !== 'open') return void (await this.#handBack(record, lease));
    const run = this.#runOf(held, revision, found, texts);
    // The store took so long to answer that another worker may have the task.
    if (run.isOverdue) return;
    this.#find(run.id)?.abandon('its lease has lapsed, and this process has taken the task again');
    this.#runs.add(run);
    if (run.isSuspect) this.#suspect = run;
    const { params, meta } = call;
    const incoming = { method: 'tools/call', params, meta, introduction: undefined, round: undefined };
    run.start(incoming, { journal, answers, returned });
  }

  #runOf(held: HeldTask, revision: Revision, found: TaskJournal, texts: readonly string[]): TaskRun {
    const { client, capabilities, principal, address } = found.call;
    const caller = { revision, client, capabilities, logLevel: undefined };
    const size = { entries: texts.length, chars: texts.reduce((sum, { length }) => sum + length, 0) };
    const of = { principal: principal === undefined ? undefined : createPrincipal(principal), address };
    return new TaskRun(this.#host, held, caller, of, found, size);
  }

  /** A task that cannot be run at all. */
  async #fail(record: TaskRecord, lease: Lease, error: RpcError): Promise<void> {
    const entry = JSON.stringify(outcomeEntry(error));
    const event = { type: 'finish', lease, state: 'failed', message: error.message } as const;
    const changed = await this.#ports.records.change(record, event, [entry]);
    if (typeof changed !== 'string') this.#ports.changed(changed);
  }

  async #leave(record: TaskRecord, lease: Lease): Promise<void> {
    this.#claimAgain = true;
    await this.#handBack(record, lease).catch((error: unknown) => this.#failed(error, record.row.id));
  }

  #handBack(record: TaskRecord, lease: Lease): Promise<unknown> {
    return this.#ports.records.change(record, { type: 'retry', lease, afterMs: 0, counts: false });
  }

  #beat(): void {
    for (const run of this.#runs) {
      if (run.isOverdue) run.abandon('its lease has lapsed: the store was not reached in time');
      else run.beat();
    }
  }

  async #sweep(): Promise<void> {
    try {
      await this.#ports.records.sweep(sweepCount, this.#ports.node, this.#ports.changed);
    } catch (error) {
      this.#failed(error);
    }
  }

  #repeat(ms: number, run: () => void): void {
    const { clock } = this.#ports;
    const index = this.#timers.length;
    const next = (): StopTimer => {
      const stop = clock.after(ms, () => {
        this.#timers[index] = next();
        run();
      });
      // A process with nothing else to do may exit.
      stop.hold?.(false);
      return stop;
    };
    this.#timers.push(next());
  }

  #failed(error: unknown, target = ''): void {
    this.#ports.serving.failed(error, { method: 'tools/call', target });
  }
}

const notServed = (revision: string): RpcError =>
  rpcError('internal-error', `The task was created in the protocol version ${revision}, which is not served any more`);
