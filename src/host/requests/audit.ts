/** What a host records, and what it needs of an audit log. `auditFolder` of `tenon/guard` makes one. */
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Principal } from '../../ports/principal.ts';

/** A security event of a host. */
export interface HostAuditEvent {
  /** What happened. */
  readonly kind:
    | ('decision' | 'consent' | 'call-start' | 'call-end' | 'limit' | 'lock')
    | ('approval-requested' | 'approval-decided' | 'approval-used');
  /** The user: the `key` of the principal. */
  readonly who?: Readonly<Record<string, unknown>>;
  /** The server, and what was done to which of its features. */
  readonly what?: Readonly<Record<string, unknown>>;
  /** What was decided, and by which rule. */
  readonly decision?: Readonly<Record<string, unknown>>;
  /** Values that may have to be deleted later, such as arguments. */
  readonly private?: Readonly<Record<string, unknown>>;
}

/** Where a host records security events. */
export interface HostAudit {
  /** Records what is about to happen. If it rejects, nothing is sent. */
  begin(event: HostAuditEvent): MaybePromise<void>;
  /** Records what has happened. If it rejects, the result is not returned. */
  append(event: HostAuditEvent): MaybePromise<void>;
}

/** Events of one host: of its user, but for the decision of another person. */
export interface HostRecorder {
  begin(event: HostAuditEvent): MaybePromise<void>;
  append(event: HostAuditEvent): MaybePromise<void>;
}

export function createRecorder(audit: HostAudit | undefined, principal: Principal | undefined): HostRecorder {
  if (audit === undefined) return { begin() {}, append() {} };
  const who = principal === undefined ? {} : { who: { key: principal.key } };
  return {
    begin: (event) => audit.begin({ ...who, ...event }),
    append: (event) => audit.append({ ...who, ...event }),
  };
}
