/** Runs calls in the process that receives them, each as the first run of its task. */
import { newTaskId } from '../../../../store/parts/task-id.ts';
import type { TaskRoom } from '../../../../store/task-store.ts';
import { type Journal, newJournal } from '../../../ports/journal.ts';
import { firstEntries, type KnownJournal, type TaskCall } from './entries.ts';
import type { CreateRecord, HeldTask } from './leased-task.ts';
import type { Lease } from './task.ts';
import {
  type BegunRun,
  newHolder,
  type TaskOrder,
  type TaskRecord,
  type TaskRecords,
  type TaskRefusal,
} from './task-records.ts';
import type { TaskRun } from './task-run.ts';
import type { ReceivedRun, TaskWorker } from './task-worker.ts';
import type { ConnectedCall } from './waiting-call.ts';

/** A call that can be the first run of its task. */
export interface ReceivedCall extends Pick<ReceivedRun, 'caller' | 'of'> {
  readonly order: Omit<TaskOrder, 'entries' | 'begun'>;
  /** The call, as it is stored. */
  taskCall(): TaskCall;
  /** What it has done so far. */
  readonly journal: Journal | undefined;
  readonly call: ConnectedCall;
  readonly answerWithinMs: number;
}

export class ReceivedCalls {
  readonly #node: string;
  readonly #worker: TaskWorker;
  readonly #records: TaskRecords;
  readonly #room: TaskRoom;

  constructor(node: string, worker: TaskWorker, records: TaskRecords, room: TaskRoom) {
    this.#node = node;
    this.#worker = worker;
    this.#records = records;
    this.#room = room;
  }

  /** Whether a call that arrives can run here at once. */
  get hasRoom(): boolean {
    return this.#worker.hasRoom;
  }

  /** The run of a call with a key, whose task is stored before, so that repeats find it; or the task that they found. */
  async begin(received: ReceivedCall): Promise<TaskRun | TaskRecord | TaskRefusal> {
    const { order, taskCall, journal } = received;
    const lease = newLease(this.#node);
    const askedAt = this.#worker.now();
    const begun = { id: newTaskId(order.owner), lease };
    const entries = firstEntries(taskCall(), journal);
    const made = await this.#records.create({ ...order, entries, begun }, this.#room);
    if (typeof made === 'string' || !made.isNew) return made;
    return this.#runOf(received, { record: made, lease, askedAt });
  }

  /** The run of a call without a key: no client can find its task before it is announced, so it is not stored before. */
  beginUnstored(received: ReceivedCall): TaskRun {
    return this.#runOf(received, new UnstoredTask(received, this.#node, this.#worker.now(), this.#create));
  }

  #runOf({ caller, of, call, answerWithinMs, journal }: ReceivedCall, held: HeldTask): TaskRun {
    nothingKnown ??= { journal: newJournal(), asked: undefined, open: {}, begun: new Set() };
    const known = journal === undefined ? nothingKnown : { ...nothingKnown, journal };
    return this.#worker.createRun({ held, caller, of, known, first: { call, answerWithinMs } });
  }

  /** An earlier attempt may have created it, though the store did not confirm that: then it lacks only later entries. */
  readonly #create = async (order: BegunOrder): Promise<TaskRecord | false> => {
    const made = await this.#records.create(order, this.#room);
    if (typeof made === 'string') return false;
    if (made.isNew) return made;
    const missing = order.entries.slice((await this.#records.readJournal(made.row.id)).length);
    if (missing.length === 0) return made;
    const changed = await this.#records.change(made, { type: 'beat', lease: order.begun.lease }, missing);
    return typeof changed === 'string' ? false : changed;
  };
}

const newLease = (node: string): Lease => ({ node, nonce: newHolder(node) });

/** One for all calls, as random numbers are expensive. Made with the first: workers allow none at module scope. */
let nothingKnown: KnownJournal | undefined;

type BegunOrder = TaskOrder & { readonly begun: BegunRun };

/** A task without a record. Most need no ID: random numbers are half the cost of a call. */
class UnstoredTask implements HeldTask {
  readonly #received: ReceivedCall;
  readonly #node: string;
  readonly #create: (order: BegunOrder) => Promise<TaskRecord | false>;
  readonly askedAt: number;
  #record: (TaskRecord & { readonly lease: Lease }) | undefined;

  constructor(
    received: ReceivedCall,
    node: string,
    askedAt: number,
    create: (order: BegunOrder) => Promise<TaskRecord | false>,
  ) {
    this.#received = received;
    this.#node = node;
    this.askedAt = askedAt;
    this.#create = create;
  }

  get record(): TaskRecord {
    return this.#drafted;
  }

  get lease(): Lease {
    return this.#drafted.lease;
  }

  readonly create: CreateRecord = (entries, progress) => {
    const { order, taskCall, journal } = this.#received;
    const { row, lease } = this.#drafted;
    const begun = { id: row.id, lease, isUnannounced: true, ...(progress && { progress }) } as const;
    return this.#create({ ...order, entries: firstEntries(taskCall(), journal, entries), begun });
  };

  /** What will be stored. The time of the store is not known yet. */
  get #drafted(): TaskRecord & { readonly lease: Lease } {
    this.#record ??= this.#draft();
    return this.#record;
  }

  #draft(): TaskRecord & { readonly lease: Lease } {
    const { owner, kind, ttlMs, deadlineMs, pollIntervalMs } = this.#received.order;
    const now = Date.now();
    const times = { createdAt: now, updatedAt: now, endsAt: now + deadlineMs, now };
    const lease = newLease(this.#node);
    const running = { state: { is: 'running', lease }, fence: 1, attempts: 1, crashes: 0 } as const;
    return {
      row: {
        id: newTaskId(owner),
        owner,
        share: '',
        kind,
        queue: kind,
        data: '',
        isOver: false,
        version: '',
        ...times,
      },
      task: { ...running, ttlMs, pollIntervalMs, isUnannounced: true },
      lease,
    };
  }
}
