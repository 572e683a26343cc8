/** Session records: a few named texts each, under a key, until they expire or are deleted. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** The fields of a record. Each is written by itself, so that two processes can write different ones at once. */
export type RecordFields = Readonly<Record<string, string>>;

/** Stores session records. */
export interface SessionStore {
  /**
   * Changes when the store has lost its contents. It is read often, so it must be known without a request: a driver of a
   * remote store reads it each time it connects.
   */
  readonly epoch: string;
  /** Stores a new record until `expires`, in milliseconds since the Unix epoch. Where there is one, its other fields and its event logs stay: another process may have stored it at the same moment. */
  create(key: string, fields: RecordFields, expires: number): MaybePromise<void>;
  /** The fields of a record; `undefined` if there is none, or it has expired. */
  read(key: string): MaybePromise<RecordFields | undefined>;
  /** Writes the given fields, deletes those that are `undefined`, and sets the expiry if one is given. False if there is no record. */
  update(key: string, fields: Readonly<Record<string, string | undefined>>, expires?: number): MaybePromise<boolean>;
  /** Deletes a record and the event logs of its session. False if there is none. */
  delete(key: string): MaybePromise<boolean>;
  /** Deletes expired records with their event logs. Called regularly; does nothing if the store expires records itself. */
  deleteExpired(): void;
}
