/** The interface of an audit log for servers and hosts. */
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { AuditEvent } from './record.ts';

/** Where security events are recorded. `auditFolder` makes one. */
export interface AuditLog {
  /**
   * Records what is about to happen, such as `call-start`. Wait for it, then run the handler. If it rejects with
   * `audit-unavailable` there is no record, and nothing may run.
   */
  begin(event: AuditEvent): MaybePromise<void>;
  /**
   * Records what has happened, such as `call-end`. Wait for it, then send the answer. If it rejects with
   * `audit-unavailable` because the log cannot be written, the event stays in memory and is written as soon as that is
   * possible; the answer must not leave.
   */
  append(event: AuditEvent): MaybePromise<void>;
  /**
   * Counts the refusal of a request without a principal, or of one whose session, stream or state is not that of its
   * caller. One record for each address and interval has the counts, so
   * that a flood cannot fill the disk.
   */
  countRefusal(address: string, reason: string): void;
  /** Writes what waits, then a last checkpoint, and closes. */
  close(): Promise<void>;
}
