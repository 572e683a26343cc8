/** The interface of a store of what an authorization server remembers: codes, refresh tokens, grants, accounts, keys. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** A stored row. */
export interface AuthorizationRow {
  /** What was written. */
  readonly text: string;
  /** Changes with every write. */
  readonly version: string;
  /** How long ago it was last written, on the clock of the store: nodes may disagree about the time. */
  readonly ageMs: number;
}

/** A row to write. */
export interface NewAuthorizationRow {
  /** Stored as it is, or encrypted where the store encrypts. */
  readonly text: string;
  /** When it expires, from now. Default never. */
  readonly expiresInMs?: number;
  /** Another name that the row is found by. A later row with the same one takes it over. */
  readonly alias?: string;
  /** What must hold before: there is no such row, or it has this version. Default: anything. */
  readonly when?: 'absent' | { readonly version: string };
  /** How many rows of its kind there may be. Default what the store allows. */
  readonly max?: number;
  /**
   * Whose share of `max` it is, for rows that can be dropped. With as many rows as there may be, the share that has most of
   * the oldest rows loses some of them, so that none fills the kind for the others. Without a share, or if none has more
   * than one, the write fails.
   */
  readonly share?: string;
}

/** Where an authorization server stores rows. Each has a kind and an ID; the store has only a digest of the ID, since many are tokens. */
export interface AuthorizationStore {
  /** The row of an ID, if there is one that has not expired. */
  read(kind: string, id: string): MaybePromise<AuthorizationRow | undefined>;
  /** The row that was last written with this alias. */
  readByAlias(kind: string, alias: string): MaybePromise<AuthorizationRow | undefined>;
  /**
   * Writes a row. False if `when` does not hold; of two writers with the same condition, one gets true. Fails with
   * `store-failed` beyond `max`; a row that exists can always be written.
   */
  write(kind: string, id: string, row: NewAuthorizationRow): MaybePromise<boolean>;
  /** Deletes a row, or only this version of it. False if there was none. */
  delete(kind: string, id: string, version?: string): MaybePromise<boolean>;
}
