/** The interface of a store of tasks: a small row each, which is compared and swapped, and a journal that only grows. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** The idempotency key of a task. */
export interface TaskKey {
  /** The key. */
  readonly name: string;
  /** Distinguishes calls. */
  readonly digest: string;
}

/** A task that is to be stored. */
export interface NewTask {
  /** As `newTaskId` makes them: it cannot be guessed, and begins with the shard of its owner. */
  readonly id: string;
  /** Whose task it is; an empty text if it has no owner. */
  readonly owner: string;
  /** Whose share it counts for: limits hold for a share, and shares take turns. Default the owner. */
  readonly share?: string;
  /** Which workers can run it. */
  readonly kind: string;
  /** A further task of this owner with the same key is this task; `digest` distinguishes calls. */
  readonly key?: TaskKey;
  /** The state of the task, as text that the store does not read. */
  readonly data: string;
  /** The first entries of its journal. */
  readonly entries: readonly string[];
  /** When a worker may take it: later if the process that creates it runs it itself. Default 0. */
  readonly claimInMs?: number;
  /** After how many milliseconds it ends by itself. */
  readonly endsInMs: number;
  /** A message that is published with it. */
  readonly hint?: TaskHint;
}

/** A message for the processes that share the store. */
export interface TaskHint {
  /** Its topic on the bus. */
  readonly topic: string;
  /** The message. */
  readonly text: string;
}

/** A change of a task. Times count from the moment of the write, on the clock of the store. */
export interface TaskChange {
  /** The new state. */
  readonly data: string;
  /** The version after it: a text that no other write has. Default a random one. */
  readonly version?: string;
  /** When a worker may take the task; `undefined`: not before another change. */
  readonly claimInMs: number | undefined;
  /** The queue that workers take it from. Default its kind. */
  readonly queue?: string;
  /** When it ends by itself, or is deleted if it is over; `undefined` leaves that as it is. */
  readonly endsInMs?: number;
  /** Whether it is over: it no longer counts as live, and is deleted at its end. */
  readonly isOver: boolean;
  /** How many journals of tasks that are over are stored; beyond it the oldest are deleted, and their tasks stay. Default no limit. */
  readonly room?: JournalRoom;
  /** Entries for the end of its journal. */
  readonly entries: readonly string[];
  /** A message that is published with it. */
  readonly hint?: TaskHint;
}

/** How many tasks are stored. With as many characters as it names, no further task is created. */
export interface TaskRoom {
  /** Those of a share that are not over. */
  readonly maxLive: number;
  /** Those of a share, over or not. */
  readonly maxStored: number;
  /** Those of all shares in one shard; tasks without an owner are counted apart. */
  readonly maxInShard: number;
  /** Characters of the journals of a share whose tasks are not over; small ones are not counted. Default no limit. */
  readonly maxLiveChars?: number;
  /** Characters of all journals in one shard; those without an owner are counted apart, small ones of tasks that are not over are not. Default no limit. */
  readonly maxCharsInShard?: number;
}

/** How much is stored of the journals of tasks that are over. */
export interface JournalRoom {
  /** Journals of one share. */
  readonly maxJournals: number;
  /** Characters of one share. */
  readonly maxChars: number;
}

/** A task as it is stored. All times are on the clock of the store. */
export interface StoredTask {
  /** Its ID. */
  readonly id: string;
  /** Whose task it is. */
  readonly owner: string;
  /** Whose share it counts for, as the store names it. */
  readonly share: string;
  /** Which workers can run it. */
  readonly kind: string;
  /** The queue that workers take it from: its kind, unless its last change named another. */
  readonly queue: string;
  /** Its state. */
  readonly data: string;
  /** Whether it is over. */
  readonly isOver: boolean;
  /** Another one after every write. Of a task that was taken, the holder. */
  readonly version: string;
  /** Set from the moment a worker takes it until it is written: how often, and when it was last taken. */
  readonly taken?: { readonly count: number; readonly at: number } | undefined;
  /** Characters of its journal while it is not over. Default 0. */
  readonly journalChars?: number;
  /** When it was created. */
  readonly createdAt: number;
  /** When it was last written. */
  readonly updatedAt: number;
  /** When it ends by itself, or is deleted. */
  readonly endsAt: number;
  /** When it was read. */
  readonly now: number;
}

/** What `create` returns: the new task, or the one that had its key before; or why there is none. */
export type TaskCreation =
  | { readonly task: StoredTask; readonly isNew: boolean }
  /** The share has too many tasks that are not over, or too much of them. */
  | 'full'
  /** The share, or all of its shard, have too many tasks, or the shard too much of them. */
  | 'too-many'
  /** The key was used for another call. */
  | 'other-call';

/** Tasks of one owner, in the order of their creation. */
export interface TaskPage {
  /** The tasks. */
  readonly tasks: readonly StoredTask[];
  /** Where the next page begins, if there is one. */
  readonly next: string | undefined;
}

/** A task that a worker has taken, with its journal. */
export interface TakenTask {
  /** The task; its version is the holder. */
  readonly task: StoredTask;
  /** The entries of its journal. */
  readonly entries: readonly string[];
}

/** Stores tasks. Each operation is atomic. What is over and has ended is gone. */
export interface TaskStore {
  /** Stores a task that workers may take, at once unless `claimInMs` says when. */
  create(task: NewTask, room: TaskRoom): MaybePromise<TaskCreation>;
  /** A task; `undefined` if there is none. */
  read(id: string): MaybePromise<StoredTask | undefined>;
  /** Writes a change if the task still has the version that was read; false if it has another one, or is gone. */
  write(task: StoredTask, change: TaskChange): MaybePromise<boolean>;
  /**
   * The entries of its journal, from number `from` (0 is the first). Empty if there is no such task, or if its journal was
   * deleted for room.
   */
  readJournal(id: string, from: number): MaybePromise<readonly string[]>;
  /**
   * Takes tasks that are due from these queues, which are kinds or what changes have named: owners take turns, and of one owner the task that is due longest is first. They
   * are due again after the lease, unless they are written before. The holder is a text that no other call has.
   */
  take(queues: readonly string[], max: number, holder: string, leaseMs: number): MaybePromise<readonly TakenTask[]>;
  /** Takes tasks that are not over, but whose end has come. Others take them again after the lease. */
  takeEnding(max: number, holder: string, leaseMs: number): MaybePromise<readonly TakenTask[]>;
  /** Tasks of an owner; `after` is `next` of the page before. */
  list(owner: string, after: string | undefined, max: number): MaybePromise<TaskPage>;
}
