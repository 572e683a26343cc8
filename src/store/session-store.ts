/** The records of sessions: a few named texts each, under a key, until they expire or are revoked. */
import type { MaybePromise } from './maybe-promise.ts';

/** What a record holds. Each field is written by itself, so that two processes can write different ones at once. */
export type RecordFields = Readonly<Record<string, string>>;

export interface SessionRecords {
  /**
   * Names what is kept here at present: another one means that everything kept before is lost. Read often, so it is
   * what the driver knows without asking; a driver of a store elsewhere asks when it connects, each time.
   */
  readonly epoch: string;
  /** Keeps a new record until `expires`, in milliseconds of the epoch of Unix. */
  create(key: string, fields: RecordFields, expires: number): MaybePromise<void>;
  /** What a record holds; `undefined` where there is none, or none any more. */
  read(key: string): MaybePromise<RecordFields | undefined>;
  /** Writes the fields given, forgets those that are `undefined`, and moves the end of the record where one is given. False where there is no record. */
  update(key: string, fields: Readonly<Record<string, string | undefined>>, expires?: number): MaybePromise<boolean>;
  /** Ends a record, and with it the event logs of its session. False where there is none. */
  revoke(key: string): MaybePromise<boolean>;
  /** Forgets what has expired, with its event logs. Called from time to time; a driver whose store does that by itself has nothing to do. */
  sweep(): void;
}
