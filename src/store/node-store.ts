/** Which nodes live: each reports it from time to time, and is dead once it has not done so for long enough. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** Stores which nodes live, by the clock of the store: clocks of nodes differ. */
export interface NodeStore {
  /** Reports that a node lives, for the next `ttlMs`. Returns the names of all living nodes, this one included. */
  beat(node: string, ttlMs: number): MaybePromise<readonly string[]>;
  /** A node stops: it is not alive from now on. */
  leave(node: string): MaybePromise<void>;
}
