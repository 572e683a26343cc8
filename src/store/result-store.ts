/** The interface of a store of long results of tools, which a model reads in parts. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** How much an owner may have, and for how long. */
export interface ResultRoom {
  /** How long a result is stored. */
  readonly ttlMs: number;
  /** Results of the owner; beyond it, the oldest are deleted. */
  readonly maxResults: number;
  /** Characters of the results of the owner; beyond it, the oldest are deleted. */
  readonly maxChars: number;
}

/** Where a toolkit stores long results. Every store has one as `results`. */
export interface ResultStore {
  /** Stores a result under a key of its owner, and replaces one that has it. */
  write(owner: string, key: string, text: string, room: ResultRoom): MaybePromise<void>;
  /** The result; `undefined` if there is none, or it was deleted for room, or has expired. */
  read(owner: string, key: string): MaybePromise<string | undefined>;
}
