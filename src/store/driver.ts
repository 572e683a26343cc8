/** The contract of an engine that stores can be on: rows, logs, token buckets and messages, in partitions. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import type { Durability } from './durability.ts';

/**
 * What must hold for a row before a run changes anything: `absent`: there is none. `present`: there is one.
 * `version`: there is one with this version. `absentOr`: there is none, or one with this version.
 */
export type When = 'absent' | 'present' | { readonly version: string } | { readonly absentOr: string };

/** A group that a row belongs to while it lives. Groups are counted, and listed in the order of creation. */
export interface GroupMember {
  /** The name of the group, within the partition unless `scope` is `store`. */
  readonly name: string;
  /** How many rows it may have. A row that is a member already is not counted again. */
  readonly max?: number;
  /** What happens beyond `max`: the run fails with `full`, or the rows that were created first are deleted, never that of the op. Default `refuse`. */
  readonly beyond?: 'refuse' | 'delete-oldest';
  /** How many characters the data of its rows may have; beyond it, the rows that were put first lose their data, and stay. The row of the op keeps it. */
  readonly maxChars?: number;
  /** `store`: counted over all partitions. An engine that cannot do that ignores the group: something else limits its size. Default `partition`. */
  readonly scope?: 'partition' | 'store';
}

/** When a row is due in a queue: then `take` gives it to a worker. */
export interface DueEntry {
  /** The name of the queue. */
  readonly queue: string;
  /** In how many milliseconds; `undefined`: the row leaves the queue. */
  readonly inMs: number | undefined;
  /** Whose row it is: rows of different lanes take turns. Default `''`. */
  readonly lane?: string;
}

/** Writes a row. */
export interface PutOp {
  readonly op: 'put';
  /** The key of the row, which no other row of the partition has. */
  readonly key: string;
  /** What must hold for it before. */
  readonly when?: When;
  /**
   * The version after it, which the writer chooses so that no other write has it. A writer that got no answer repeats
   * its run: if the condition then fails because of a row with this version, the first run had been done.
   */
  readonly version: string;
  /** The text of the row; absent: it stays as it is. */
  readonly data?: string;
  /** How many characters it counts as in groups. Default its length. */
  readonly chars?: number;
  /** Named texts. They are merged into those of the row; `null` deletes one. */
  readonly fields?: Readonly<Record<string, string | null>>;
  /** When the row expires, from now; absent: as before, or never if it is new. */
  readonly expiresInMs?: number;
  /** Another name by which rows are found: if another living row of the partition has it, the run fails with `alias`. Only a new row gets one. */
  readonly alias?: string;
  /** The groups that it belongs to from now on; absent: as before. */
  readonly groups?: readonly GroupMember[];
  /** The queues that are named change; the others stay as they are. */
  readonly due?: readonly DueEntry[];
  /** Groups of the partition whose rows must have fewer characters together, whether or not the row is one of them: else the run fails with `full`. */
  readonly below?: readonly GroupChars[];
}

/** So many characters of a group. */
export interface GroupChars {
  /** The name of the group, within the partition. */
  readonly group: string;
  /** Characters of the data of its rows. */
  readonly chars: number;
}

/** Deletes a row, with its logs, and what it has in groups and queues. Its result is whether there was one. */
export interface DeleteOp {
  readonly op: 'delete';
  /** The key of the row. */
  readonly key: string;
  /** What must hold for it before. */
  readonly when?: When;
}

/** Reads a row. */
export interface GetOp {
  readonly op: 'get';
  /** The key of the row. */
  readonly key: string;
}

/** Reads rows of a group of the partition, in the order of their creation. */
export interface ListOp {
  readonly op: 'list';
  /** The name of the group. */
  readonly group: string;
  /** Only those whose number is larger. */
  readonly after?: number;
  /** How many rows at most. */
  readonly max: number;
}

/** An entry for a log. */
export interface NewEntry {
  /** Its text. An entry without one is counted, and not stored. */
  readonly data?: string;
  /** How many characters it counts as; 0 without text. */
  readonly chars: number;
}

/**
 * Adds entries to a log, which begins with its first ones. The stored entries of a log are always its last ones: after an
 * entry without text, the next one with text deletes what was stored before it. Fails with `ended` if the log has ended,
 * and with `absent` if it does not exist and there are no entries.
 */
export interface AppendOp {
  readonly op: 'append';
  /** The row that the log belongs to: they go together. The log of a row that does not exist goes an hour after its last entry. */
  readonly row: string;
  /** The name of the log, within its row. */
  readonly log: string;
  /** In their order; none only to change or end a log that exists. */
  readonly entries: readonly NewEntry[];
  /** The number that the first entry gets. Fails with `repeated` if the log has an entry of this number, with `gap` if it lacks one before. */
  readonly at?: number;
  /** A number that grows: fails with `mark` unless it is larger than the last one of the log. */
  readonly mark?: number;
  /** Stored when the log begins. */
  readonly note?: string;
  /** Whose share of the store the log is, from when it begins. A log without one is neither counted in the size of the store nor shrunk. */
  readonly share?: string;
  /** Whether someone reads the log elsewhere. */
  readonly isFollowed?: boolean;
  /** Ends the log. */
  readonly end?: boolean;
  /**
   * While the row has more logs or characters than this afterwards, those of its logs that have ended are deleted: the
   * first to end first, never this one.
   */
  readonly room?: {
    /** How many logs the row may have. */
    readonly maxLogs: number;
    /** How many characters they may have together. */
    readonly maxChars: number;
  };
}

/** Reads the stored entries of a log after a number, and remembers that a reader has those before. Its result is `undefined` if there is no such log. */
export interface EntriesOp {
  readonly op: 'entries';
  /** The row that the log belongs to. */
  readonly row: string;
  /** The name of the log. */
  readonly log: string;
  /** The number of the last entry that the reader has; 0: none. */
  readonly after: number;
}

/** Reads what is known of all logs of a row, without their entries, in the order in which they began. */
export interface LogsOp {
  readonly op: 'logs';
  /** The row that the logs belong to. */
  readonly row: string;
}

/** One step of making room: it is skipped unless the logs of the row have more than `above` characters together. */
export type TrimStep =
  | { readonly log: string; readonly above: number; readonly delete: true }
  /** Deletes the oldest entries until all logs have `target` characters, or this one `least`; never its last `spare` entries. */
  | {
      readonly log: string;
      readonly above: number;
      readonly target: number;
      readonly least: number;
      readonly spare: number;
    };

/** Makes room in the logs of a row: step by step, or by deleting all of them. */
export interface TrimOp {
  readonly op: 'trim';
  /** The row that the logs belong to. */
  readonly row: string;
  /** The steps, one after the other; `all`: every log is deleted. */
  readonly steps: readonly TrimStep[] | 'all';
}

/**
 * Takes tokens of a bucket. A bucket is the moment at which it is full again; taking moves it by `costMs`. Fails with
 * `tokens` if it would be more than `fullMs` away, and `roundingMs`: of several such ops, the one that takes longest is
 * reported. A bucket that is further away than `fullMs`, because that was longer, is first moved there, even if the run fails.
 */
export interface TokensOp {
  readonly op: 'tokens';
  /** The key of the bucket, within the partition: it is no row. */
  readonly key: string;
  /** How long the tokens that are taken take to come back. */
  readonly costMs: number;
  /** How long an empty bucket takes to fill. */
  readonly fullMs: number;
}

/** Sends a message to all subscribers of a topic, in any process, after the run. Messages are hints. */
export interface PublishOp {
  readonly op: 'publish';
  /** The name of the topic, in the whole store. */
  readonly topic: string;
  /** The message. */
  readonly text: string;
}

/** One step of a run. */
export type Op = PutOp | DeleteOp | GetOp | ListOp | AppendOp | EntriesOp | LogsOp | TrimOp | TokensOp | PublishOp;

/** A stored row. All times are on the clock of the store, in whole milliseconds since the Unix epoch. */
export interface Row {
  /** Its key, within the partition. */
  readonly key: string;
  /** What the last put or take chose. */
  readonly version: string;
  /** Absent if it was never written, or was dropped for room. */
  readonly data?: string | undefined;
  /** Its named texts. */
  readonly fields: Readonly<Record<string, string>>;
  /** Counts the rows of the partition, or of the store: larger for a row that was created later. */
  readonly number: number;
  /** When it was created. */
  readonly createdAt: number;
  /** When it was last put. */
  readonly updatedAt: number;
  /** When it expires; absent: never. */
  readonly expiresAt?: number | undefined;
  /** Set from `take` until the next put. */
  readonly taken?: { readonly queue: string; readonly count: number; readonly at: number } | undefined;
}

/** What is known of a log. */
export interface Log {
  /** Its name, within its row. */
  readonly name: string;
  /** Entries so far, stored or not. */
  readonly count: number;
  /** How many are stored. */
  readonly stored: number;
  /** The number of the last one that is stored; 0 if none is. */
  readonly last: number;
  /** Characters of the stored entries. */
  readonly chars: number;
  /** Whether it has ended: the later it ended, the larger; 0 while it is open. */
  readonly ended: number;
  /** The last mark that was passed. */
  readonly mark?: number | undefined;
  /** The note that it began with. */
  readonly note?: string | undefined;
  /** Whether someone reads it elsewhere, as the last append that passed it said. */
  readonly isFollowed: boolean;
  /** The largest `after` of its readers, at most `count`. */
  readonly given: number;
  /** Characters of all logs of the row. */
  readonly rowChars: number;
  /** How many logs the row has. */
  readonly rowLogs: number;
  /** Characters of all logs of the store that have a share, where the engine counts them. */
  readonly storeChars?: number | undefined;
  /** What was asked for by `entries` or `take`. */
  readonly entries?: readonly { readonly n: number; readonly data: string }[] | undefined;
}

/**
 * The result of an op: `put` and `get` a row (that of `put` has no data and no fields), `delete` whether there was one,
 * `list` rows, `append` and `entries` a log, `logs` logs; the others have none.
 */
export type OpResult = Row | Log | boolean | readonly Row[] | readonly Log[] | undefined;

/** Why a run failed. If several hold for an op, it is the first of them in this order. */
export type FailedWhy = 'condition' | 'alias' | 'full' | 'ended' | 'mark' | 'gap' | 'repeated' | 'absent' | 'tokens';

/** A run whose condition did not hold: nothing was changed. */
export interface FailedRun {
  /** When it was tried. */
  readonly now: number;
  /** The index of the first op whose condition did not hold. */
  readonly failed: number;
  /** What did not hold. */
  readonly why: FailedWhy;
  /** The row that was found, for `condition` and `alias`. */
  readonly row?: Row | undefined;
  /** The log that was found, for conditions of `append`. */
  readonly log?: Log | undefined;
  /** The name of the group, for `full`. */
  readonly group?: string | undefined;
  /** When the tokens are there, for `tokens`. */
  readonly waitMs?: number | undefined;
}

/** What a run returns. */
export type Ran =
  | { readonly now: number; readonly results: readonly OpResult[]; readonly failed?: undefined }
  | FailedRun;

/** What `take` is asked for. */
export interface TakeRequest {
  /** The partitions whose queues are looked at. */
  readonly partitions: readonly string[];
  /** The names of the queues. */
  readonly queues: readonly string[];
  /** How many rows at most. */
  readonly max: number;
  /** Becomes the version of what is taken: no other write has it. */
  readonly holder: string;
  /** When what was taken is due again, unless it is put before. */
  readonly leaseMs: number;
  /** A log of each row that is read with it. */
  readonly log?: string;
}

/** A row that was taken. */
export interface Taken {
  /** The partition of the row. */
  readonly partition: string;
  /** The row, as it is now. */
  readonly row: Row;
  /** The log that was asked for, with its entries; absent if the row has none. */
  readonly log?: Log | undefined;
}

/** What the logs of one share have. */
export interface LogShare {
  /** The name of the share. */
  readonly share: string;
  /** Characters of its logs; each log may count more. */
  readonly chars: number;
}

/** How much of a run is safe when it is acknowledged: it survives the process, or also the loss of power. */
export type Sync = 'process' | 'disk';

/**
 * An engine. Every run is one step: others see all of it or nothing. Errors are `store-failed`, `store-timeout` (it may have
 * happened), `store-busy`; a condition that does not hold is a value, never an error.
 *
 * - Conditions are checked first, on the state before the run. Then the ops take effect in order, and each sees those before it.
 * - What has expired does not exist for any op, and is not counted, whether or not it was deleted.
 * - Times are on the clock of the store, which never goes back; only durations are passed.
 * - Texts and names have any characters, U+0000 and halves of surrogate pairs included, and are returned as they were
 *   passed. They have any length; only the names of queues and of logs have at most 256 characters. Names are equal only
 *   if all their characters are.
 */
export interface StoreDriver {
  /** What kind it is: `memory`, `sqlite`, `redis`, `postgres`, or a name of your own. Only one that no other process can use is called `memory`. */
  readonly name: string;
  /** What happens to a write that was acknowledged. */
  readonly durability: Durability;
  /** Changes when the store has lost its contents. It is read often, so it is known without a request. */
  readonly epoch: string;
  /** Runs ops on one partition: all or nothing. At most `maxOps`. */
  run(partition: string, ops: readonly Op[], sync?: Sync): MaybePromise<Ran>;
  /**
   * Takes rows that are due: lanes take turns, and in a lane the row that has been due longest is first. A row that is taken
   * has the holder as its version, and is due again after the lease. Two calls never take the same row before that.
   */
  take(request: TakeRequest): MaybePromise<readonly Taken[]>;
  /** Subscribes to a topic. `onMissed` is called when messages may have been lost. Returns a function that unsubscribes. */
  subscribe(topic: string, onMessage: (text: string) => void, onMissed?: () => void): MaybePromise<() => void>;
  /** Deletes what has expired, at most `max` rows; returns how many. Called from time to time. */
  sweep(max: number): MaybePromise<number>;
  /** The shares that have logs, in any order; their characters are `Log.storeChars` together. Only where that is known. */
  logShares?(): MaybePromise<readonly LogShare[]>;
  /**
   * Deletes entries of the logs of these shares, one share after the other, until it has its `chars` or all shares of the
   * store have `maxChars`: logs that have ended first, the first to end first; then the oldest entries of open ones. The
   * last entry of the log in use stays. Only where `Log.storeChars` is known.
   */
  shrinkLogs?(
    maxChars: number,
    shares: readonly LogShare[],
    inUse: { readonly partition: string; readonly row: string; readonly log: string },
  ): MaybePromise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** Ops in one run. */
export const maxOps = 64;

/** How long the log of a row that does not exist is stored after its last entry. */
export const looseLogMs = 3_600_000;

/** What sums of parts of milliseconds may be off at times of our century: a wait for tokens that is no longer is none. */
export const roundingMs = 0.01;
