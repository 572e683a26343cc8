/** The interface of a store of approvals: a row for each call that needs one, which is compared and swapped. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** An approval that is requested. */
export interface NewApproval {
  /** Its ID, which no other one has. */
  readonly id: string;
  /** Names the call. At most one approval of a call waits or is decided and not used. */
  readonly call: string;
  /** Whose share it counts for. */
  readonly share: string;
  /** The approval, as text that the store does not read. */
  readonly data: string;
  /** After how many milliseconds it expires. */
  readonly ttlMs: number;
}

/** How many approvals of a share may wait. */
export interface ApprovalRoom {
  /** How many. */
  readonly maxWaiting: number;
  /** What happens beyond it: nothing is stored, or the oldest one that waits is deleted. */
  readonly beyond: 'refuse' | 'delete-oldest';
}

/** An approval as it is stored. All times are on the clock of the store. */
export interface StoredApproval {
  /** Its ID. */
  readonly id: string;
  /** Whose share it counts for, as the store names it. */
  readonly share: string;
  /** The approval. */
  readonly data: string;
  /** Another one after every write. */
  readonly version: string;
  /** When it was requested. */
  readonly createdAt: number;
  /** When it expires: then it does not exist any more. */
  readonly expiresAt: number;
  /** When it was read. */
  readonly now: number;
}

/** A change of an approval. */
export interface ApprovalChange {
  /** The approval after it. */
  readonly data: string;
  /** `decided`: it waits no more, and is found by its call. `over`: another one can be requested for its call. */
  readonly state: 'decided' | 'over';
}

/** What `create` returns: the new approval, or the one that the call has; or why there is none. */
export type ApprovalCreation =
  | { readonly approval: StoredApproval; readonly isNew: boolean }
  /** Too many of the share wait. */
  | 'full'
  /** The store has too many approvals. */
  | 'too-many';

/** Stores approvals. Each operation is atomic. What has expired does not exist. */
export interface ApprovalStore {
  /** Stores an approval that waits, unless its call has one. */
  create(approval: NewApproval, room: ApprovalRoom): MaybePromise<ApprovalCreation>;
  /** An approval; `undefined` if there is none. */
  read(id: string): MaybePromise<StoredApproval | undefined>;
  /** Writes a change if the approval still has the version that was read; false if it has another one, or does not exist. */
  write(approval: StoredApproval, change: ApprovalChange): MaybePromise<boolean>;
  /** Deletes an approval that still has the version that was read; false as for `write`. */
  delete(approval: StoredApproval): MaybePromise<boolean>;
  /** Approvals that wait, or all of them, the oldest first; `after` is `next` of the page before. */
  list(
    which: 'waiting' | 'all',
    after: string | undefined,
    max: number,
  ): MaybePromise<{
    /** The approvals of the page. */
    readonly approvals: readonly StoredApproval[];
    /** Where the next page begins, if there is one. */
    readonly next: string | undefined;
  }>;
}
