/** One chain of records: numbers and hashes them, signs checkpoints, starts segments, and deletes anchored ones. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Clock, StopTimer } from '../../lib/time/deadlines.ts';
import { type Anchoring, type AuditAnchor, createAnchoring } from './anchoring.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditCheckpoint, SignCheckpoint } from './checkpoint.ts';
import type { CommitTools } from './commitments.ts';
import { GroupCommit, type GroupSink } from './group-commit.ts';
import { writeLines } from './line.ts';
import { type PreparedEvent, prepareEvent, type RecordLimits } from './prepare.ts';
import { type QueueLimits, shareNameOf } from './queue-shares.ts';
import { type AuditEvent, type AuditFields, type AuditKind, type ChainHead, isEventKind } from './record.ts';
import { createRefusalCounts, type RefusalCounts } from './refusals.ts';
import type { AuditStorage } from './storage.ts';

export interface ChainLimits extends QueueLimits, RecordLimits {
  /** Records between two checkpoints. */
  readonly maxUnsignedRecords: number;
  /** Addresses whose refusals are counted apart. */
  readonly maxAddresses: number;
  /** Segments that are retained; older ones are deleted once they are anchored. */
  readonly maxSegments: number;
}

export interface ChainTimeouts {
  /** Between two checkpoints. */
  readonly checkpointMs: number;
  /** Between two records with the refusals of an address. */
  readonly refusalsMs: number;
  /** For one call of the anchor. */
  readonly anchorMs: number;
}

export interface ChainOptions {
  readonly limits: ChainLimits;
  readonly timeouts: ChainTimeouts;
  readonly whenFull: 'wait' | 'spill';
  readonly sign: SignCheckpoint | undefined;
  readonly anchor: AuditAnchor | undefined;
  readonly onWarning: (warning: TenonError) => void;
}

/** The clock, the scheduler, random salts and hashes of the machine; tests replace them. */
export interface ChainMachine extends CommitTools {
  readonly clock: Clock;
  /** The time of a record, as an ISO date. */
  readonly date: () => string;
  readonly schedule: (run: () => void) => void;
}

/** Records of the log about itself are small, and must be complete. */
const noLimits: RecordLimits = {
  maxRecordChars: Number.POSITIVE_INFINITY,
  maxPrivateChars: Number.POSITIVE_INFINITY,
};

export class AuditChain implements AuditLog, GroupSink {
  readonly #storage: AuditStorage;
  readonly #options: ChainOptions;
  readonly #machine: ChainMachine;
  readonly #groups: GroupCommit;
  readonly #refusals: RefusalCounts;
  readonly #anchoring: Anchoring | undefined;
  readonly sync: (() => Promise<void>) | undefined;
  #head: ChainHead;
  /** How many records the last checkpoint covers, itself included. */
  #signed: number;
  #checkpointDue = false;
  #stopCheckpointTimer: StopTimer | undefined;
  #stopRefusalTimer: StopTimer | undefined;
  /** Segments before `first` are deleted once a checkpoint covers the record that says so. */
  #announced: { readonly first: number; readonly records: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(storage: AuditStorage, head: ChainHead, options: ChainOptions, machine: ChainMachine) {
    const { anchor, onWarning, timeouts, limits, whenFull } = options;
    this.#storage = storage;
    this.#options = options;
    this.#machine = machine;
    this.#head = head;
    this.#signed = head.n;
    this.sync = storage.sync;
    this.#groups = new GroupCommit(this, { limits, whenFull, schedule: machine.schedule });
    this.#refusals = createRefusalCounts(limits.maxAddresses);
    const onAnchored = (checkpoint: AuditCheckpoint): void => this.#drop(checkpoint);
    this.#anchoring =
      anchor && createAnchoring({ anchor, timeoutMs: timeouts.anchorMs, clock: machine.clock, onWarning, onAnchored });
  }

  begin(event: AuditEvent): Promise<void> {
    return this.#add(event, true);
  }

  append(event: AuditEvent): Promise<void> {
    return this.#add(event, false);
  }

  /** Records an action of the log itself, before it happens. */
  note(kind: AuditKind, what: AuditFields): Promise<void> {
    return this.#closing === undefined ? this.#groups.add(this.#prepare(kind, what), true) : Promise.reject(closed());
  }

  countRefusal(address: string, reason: string): void {
    if (!this.#refusals.add(address, reason)) return;
    this.#stopRefusalTimer = this.#timer(this.#options.timeouts.refusalsMs, () => this.#writeRefusals());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  write(events: readonly PreparedEvent[]): void {
    if (this.#storage.isFull) this.#storage.startSegment(this.#head.n);
    const isLater = this.#storage.isEmpty && this.#head.n > 0;
    const link = isLater ? [this.#prepare('segment', { segment: this.#storage.segments.length })] : [];
    const { text, privateText, head } = writeLines([...link, ...events], this.#head, this.#machine);
    // Set before the write: a failed write is tried again by then.
    this.#stopCheckpointTimer ??= this.#timer(this.#options.timeouts.checkpointMs, () => {
      this.#stopCheckpointTimer = undefined;
      this.#checkpointDue = true;
      this.#groups.flush().catch(this.#options.onWarning);
    });
    this.#storage.append(text, privateText);
    this.#head = head;
  }

  written(): Promise<void> | undefined {
    const due = this.#checkpointDue || this.#head.n - this.#signed >= this.#options.limits.maxUnsignedRecords;
    return due ? this.#checkpoint() : undefined;
  }

  #add(event: AuditEvent, isBegin: boolean): Promise<void> {
    if (!isEventKind(event.kind)) return Promise.reject(unknownKind(event.kind));
    if (this.#closing !== undefined) return Promise.reject(closed());
    try {
      const prepared = prepareEvent(event, this.#machine.date(), this.#options.limits);
      return this.#groups.add(prepared, isBegin, shareNameOf(event.who));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #prepare(kind: AuditKind, what: AuditFields, who?: AuditFields): PreparedEvent {
    return prepareEvent({ kind, what, ...(who && { who }) }, this.#machine.date(), noLimits);
  }

  /** Signs everything before the record that has the signature. Nothing is written meanwhile. */
  async #checkpoint(): Promise<void> {
    const { sign, onWarning } = this.#options;
    this.#checkpointDue = false;
    this.#stopCheckpointTimer?.();
    this.#stopCheckpointTimer = undefined;
    if (sign === undefined || this.#head.n === this.#signed) return;
    try {
      const checkpoint = await sign(this.#head);
      const { text, head } = writeLines([this.#prepare('checkpoint', { ...checkpoint })], this.#head, this.#machine);
      this.#storage.append(text, '');
      this.#head = head;
      this.#signed = head.n;
      await this.sync?.();
      this.#anchoring?.hand(checkpoint);
    } catch (error) {
      onWarning(
        error instanceof TenonError
          ? error
          : new TenonError('audit-unavailable', 'A checkpoint of the audit log was not signed.', { cause: error }),
      );
    }
  }

  /**
   * Deletes segments that an anchored checkpoint covers whole. The chain says so first, under a later anchored
   * checkpoint: otherwise their absence could be the work of an attacker.
   */
  #drop({ records }: AuditCheckpoint): void {
    if (this.#announced !== undefined) {
      if (records < this.#announced.records) return;
      try {
        this.#storage.dropBefore(this.#announced.first);
      } catch (error) {
        // The next anchored checkpoint tries again.
        return this.#options.onWarning(error as TenonError);
      }
      this.#announced = undefined;
    }
    const { segments } = this.#storage;
    const surplus = segments.length - this.#options.limits.maxSegments;
    const first = surplus > 0 ? segments.slice(0, surplus + 1).findLast((start) => start <= records) : undefined;
    if (first === undefined || first === segments[0]) return;
    void this.#announce(first);
  }

  async #announce(first: number): Promise<void> {
    // Until it is written, no other is.
    this.#announced = { first, records: Number.POSITIVE_INFINITY };
    try {
      await this.#groups.add(this.#prepare('retention', { deletedBefore: first }), true);
      this.#announced = { first, records: this.#head.n };
    } catch (error) {
      this.#announced = undefined;
      this.#options.onWarning(error as TenonError);
    }
  }

  async #writeRefusals(): Promise<void> {
    this.#stopRefusalTimer?.();
    const { timeouts, onWarning } = this.#options;
    // They stay counted until there is room for their records.
    if (this.#groups.isFull) {
      this.#stopRefusalTimer = this.#timer(timeouts.refusalsMs, () => this.#writeRefusals());
      return;
    }
    const events = this.#refusals.take().map(({ who, what }) => this.#prepare('refusals', what, who));
    try {
      await Promise.all(events.map((event) => this.#groups.add(event, false)));
    } catch (error) {
      onWarning(error as TenonError);
    }
  }

  async #close(): Promise<void> {
    this.#stopCheckpointTimer?.();
    await this.#groups.flush();
    await this.#writeRefusals();
    // The last checkpoint covers the record of the end.
    this.#checkpointDue = true;
    await this.#groups.add(this.#prepare('close', {}), false);
    await this.#groups.flush();
    await this.#anchoring?.settled();
    this.#stopCheckpointTimer?.();
  }

  /** Does not keep the process alive. */
  #timer(ms: number, run: () => void): StopTimer {
    const stop = this.#machine.clock.after(ms, run);
    stop.hold?.(false);
    return stop;
  }
}

const unknownKind = (kind: unknown): TenonError =>
  new TenonError('invalid-argument', `An audit record cannot be written: its kind is ${JSON.stringify(kind)}.`, {
    hint: 'The kinds are those of the type AuditEventKind.',
  });

const closed = (): TenonError =>
  new TenonError('audit-unavailable', 'The audit log is closed.', { hint: 'Close it after the server.' });
