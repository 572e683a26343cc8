/** The interface of a store of keys that may be used once, such as the IDs of DPoP proofs. */
import type { MaybePromise } from '../maybe-promise.ts';

/** Remembers keys that were used. A live key is never dropped for room: that would let it be used again. */
export interface OnceStore {
  /**
   * Uses a key up until `expiresAt` (milliseconds as `Date.now()` has them). Returns true for its first use, and false
   * for every other one until then; of two uses at the same moment, one gets true. `owner` names whose key it is, such as
   * a client: a store may limit how many live keys one owner has. Fails with `store-failed` if there is no room.
   */
  burn(key: string, expiresAt: number, owner?: string): MaybePromise<boolean>;
}
