/** Records that belong to no call: accepted credentials, exceeded limits, changes of the policy. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { startOperation } from '../../lib/values/maybe-promise.ts';
import type { GuardedCaller, GuardedRequest } from '../../ports/guard.ts';
import type { Principal } from '../../ports/principal.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditEvent } from '../audit/record.ts';
import { acceptedEvent, limitEvent } from './audit-events.ts';
import type { PolicyVersions } from './options.ts';

/**
 * Credentials that are remembered as recorded, and principals that are over a limit.
 * @limit guard
 * @beyond the oldest is recorded again
 */
const maxPrincipals = 10_000;

/**
 * Records of exceeded limits, for each principal. A flood cannot fill the disk.
 * @limit guard
 * @default one in 10 s
 * @beyond the others are counted by address
 */
const limitIntervalMs = 10_000;

export interface Records {
  /** A call of this caller arrives. Each credential is recorded once. */
  authenticated(caller: GuardedCaller): void;
  overLimit(request: GuardedRequest, refused: RpcError): void;
  policyChanged(change: PolicyVersions | undefined): void;
}

export function createRecords(audit: AuditLog): Records {
  const known = new WeakSet<Principal>();
  const accepted = new Recent<true>(maxPrincipals);
  const limited = new Recent<number>(maxPrincipals);
  return {
    authenticated({ principal, address }) {
      if (principal === undefined || known.has(principal)) return;
      known.add(principal);
      // With one for each principal, a caller that changes between two credentials would fill the log, also over its limit.
      const credential = `${principal.expiresAt ?? ''} ${principal.key}`;
      if (!accepted.isKnown(credential, true)) append(audit, acceptedEvent(principal, address));
    },
    overLimit(request, refused) {
      const { principal, address } = request.caller;
      const interval = Math.floor(Date.now() / limitIntervalMs);
      if (principal === undefined || limited.isKnown(principal.key, interval))
        audit.countRefusal(address || 'unknown', refused.reason);
      else append(audit, limitEvent(request, refused));
    },
    policyChanged(change) {
      append(audit, { kind: 'policy', what: change === undefined ? {} : { ...change } });
    },
  };
}

/** An event that cannot be written stays in the memory of the log; calls are refused meanwhile. */
function append(audit: AuditLog, event: AuditEvent): void {
  const recorded = startOperation(() => audit.append(event));
  if (recorded instanceof Promise) recorded.catch(() => {});
}

/** A bounded map of recent values that drops the oldest. */
class Recent<T> {
  readonly #most: number;
  readonly #seen = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Remembers a value by its name; returns whether it was known, with this value. */
  isKnown(name: string, value: T): boolean {
    if (this.#seen.has(name) && this.#seen.get(name) === value) return true;
    this.#seen.delete(name);
    this.#seen.set(name, value);
    if (this.#seen.size > this.#most) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return false;
  }
}
