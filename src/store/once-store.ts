/** The interface of a store of what may happen once: keys that may be used once, and runs that may happen once. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** Who wants to run, and for how long. */
export interface OnceRun {
  /** Distinguishes runs under the same key: with another digest the key is refused. */
  readonly digest: string;
  /** A name of this attempt that no other attempt has, at any process. */
  readonly holder: string;
  /** For how long the run counts as running without `renew`, in milliseconds. */
  readonly leaseMs: number;
  /** For how long the key is remembered after the end of the run, or of its lease. */
  readonly ttlMs: number;
  /** Whose share it counts for if it has no owner, such as that of an address. Never the share of an owner. */
  readonly share?: string;
}

/** The answer to `begin`. */
export type OnceState =
  /** The caller is the holder: it runs, then calls `end` or `release`. */
  | { readonly state: 'begun' }
  /** Another holder runs it, for at least `leaseMs` more unless it ends before. */
  | { readonly state: 'running'; readonly leaseMs: number }
  /** It has ended. The text is absent if there was none, or no room for it. */
  | { readonly state: 'ended'; readonly text: string | undefined }
  /** Its holder let the lease lapse: whether it ran is unknown. It is not run again; the holder may still report its end. */
  | { readonly state: 'unknown' }
  /** The key was used with another digest. */
  | { readonly state: 'other' }
  /** There is no room for another key; `limit` names the option. */
  | { readonly state: 'full'; readonly limit: 'maxKeys' | 'maxKeysPerOwner' };

/** The options of a store that limit how many keys it remembers. */
export type OnceLimit = Extract<OnceState, { readonly state: 'full' }>['limit'];

/** Remembers keys that were used. A live key is never dropped for room: that would let it be used again. */
export interface OnceStore {
  /**
   * Uses a key up until `expiresAt` (milliseconds as `Date.now()` has them). Returns true for its first use, and false
   * for every other one until then; of two uses at the same moment, one gets true. `owner` names whose key it is, such as
   * a client: a store may limit how many live keys one owner has. Fails with `store-failed` if there is no room.
   */
  burn(key: string, expiresAt: number, owner?: string): MaybePromise<boolean>;
  /**
   * Begins the one run of a key, unless it was begun before: of many at the same moment, one gets `begun`. The same
   * holder gets it again, so that it can repeat a `begin` whose answer was lost. Each owner has its own keys, and a
   * limited number of them. Keys of `''` have no owner: they count for their `share`, and apart from those of all owners.
   */
  begin(owner: string, key: string, run: OnceRun): MaybePromise<OnceState>;
  /**
   * Records that the run has ended, with a text for `begin` to return; the oldest texts may be dropped for room, their
   * keys stay. True if it is recorded, now or by an earlier call of this holder; also after its lease has lapsed, since
   * no other holder can have run. False if the key is not known any more, or has another holder.
   */
  end(owner: string, key: string, run: OnceRun, text: string | undefined): MaybePromise<boolean>;
  /** Forgets a run of which the holder knows that nothing has happened: the key can be begun again. False as for `end`. */
  release(owner: string, key: string, run: OnceRun): MaybePromise<boolean>;
  /** Extends the lease to `leaseMs` of the run from now. False as for `end`, and for a run that has ended. */
  renew(owner: string, key: string, run: OnceRun): MaybePromise<boolean>;
}
