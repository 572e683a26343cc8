/** `guard()`: a policy, an audit log and limits, as a server asks them. */
import type { GuardedCaller, GuardedFeature, ServerGuard } from '../../server/ports/guard.ts';
import type { Principal } from '../../server/ports/principal.ts';
import { startOperation } from '../../store/maybe-promise.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditEvent } from '../audit/record.ts';
import type { DecisionExplanation } from '../policy/decision.ts';
import { acceptedEvent } from './audit-events.ts';
import { checkGuardOptions, type GuardOptions } from './options.ts';
import { type GuardPorts, PolicyCall } from './policy-call.ts';
import { Recent } from './recent.ts';

/** The guard of a server. */
export interface Guard extends ServerGuard {
  /** Why a decision is what it is: the rule and its condition. `undefined` for one that is not known, or not any more. */
  explain(decisionId: string): DecisionExplanation | undefined;
}

/** Principals whose authentication is known to be recorded, and rounds of calls; beyond it the oldest are recorded again. */
const maxRecent = 10_000;

/**
 * Guards a server: what a caller may not see does not exist for it, every call is decided, and recorded before it runs
 * and before its answer leaves.
 *
 * ```ts
 * const guarded = guard({ policy: createPolicy(text), audit: fileAudit('./audit') });
 * const server = createServer(definition, { guard: guarded });
 * ```
 */
export function guard(options: GuardOptions): Guard {
  checkGuardOptions(options);
  const { policy, audit, server } = options;
  const ports: GuardPorts = {
    policy,
    audit,
    targetOf: server === undefined ? (feature) => feature : (feature) => ({ ...feature, server }),
  };
  const listeners = new Set<() => void>();
  const accepted = audit === undefined ? undefined : createAcceptedRecords(audit);
  const rounds = new Recent<number>(maxRecent);
  policy.onChange?.(() => {
    if (audit !== undefined) record(audit, { kind: 'policy', what: { rules: policy.rules.length } });
    for (const listener of listeners) listener();
  });
  const sees = ({ principal, address }: GuardedCaller, feature: GuardedFeature): boolean =>
    policy.visible({ principal, address, target: ports.targetOf(feature) });
  return {
    sees,
    notifies(caller, feature) {
      const { principal, address } = caller;
      const request = { principal, address, action: 'subscribe', target: ports.targetOf(feature) } as const;
      return sees(caller, feature) && policy.evaluate(request).effect === 'allow';
    },
    begin(request) {
      const { caller, callId, round } = request;
      accepted?.(caller);
      return new PolicyCall(ports, request, round > 0 && rounds.isKnown(callId, round));
    },
    countRefusal: (address = 'unknown', reason) => audit?.countRefusal(address, reason),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    explain: (decisionId) => policy.explain(decisionId),
  };
}

/** Each credential is recorded once. */
function createAcceptedRecords(audit: AuditLog): (caller: GuardedCaller) => void {
  const known = new WeakSet<Principal>();
  const recent = new Recent<number>(maxRecent);
  return ({ principal, address }) => {
    if (principal === undefined || known.has(principal)) return;
    known.add(principal);
    if (!recent.isKnown(principal.key, principal.expiresAt ?? 0)) record(audit, acceptedEvent(principal, address));
  };
}

/** What cannot be written stays in the log's memory; calls are refused meanwhile. */
function record(audit: AuditLog, event: AuditEvent): void {
  const recorded = startOperation(() => audit.append(event));
  if (recorded instanceof Promise) recorded.catch(() => {});
}
