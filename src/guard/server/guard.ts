/** `guard()`: a policy, an audit log and limits as the guard of a server. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { createDeadlines } from '../../lib/time/deadlines.ts';
import type { GuardedCaller, GuardedFeature, ServerGuard } from '../../ports/guard.ts';
import type { Store } from '../../store/store.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { guardApprovals } from '../approvals/guard-approvals.ts';
import { checkLimits } from '../limits/limit-problems.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import type { DecisionExplanation } from '../policy/decision.ts';
import type { Policy } from '../policy/policy.ts';
import type { PolicyRule } from '../policy/rule.ts';
import { guardOptions } from './options.table.ts';
import type { GuardOptions } from './options.ts';
import { type GuardPorts, mayCall, PolicyCall } from './policy-call.ts';
import { createRecords } from './records.ts';
import { unknownNames as findUnknownNames } from './unknown-names.ts';

/** The guard of a server. */
export interface Guard extends ServerGuard {
  /** Where approvers list and decide. Throws `invalid-argument` without the option `approvals`. */
  readonly approvals: Approvals;
  /** Why a decision is what it is: the rule and its condition. `undefined` for one that is not known, or not any more. */
  explain(decisionId: string): DecisionExplanation | undefined;
}

/**
 * Guards a server: what a caller may not see does not exist for it, every call is decided, and recorded before it runs
 * and before its answer leaves.
 *
 * ```ts
 * const guarded = guard({ policy: createPolicy(text), audit: auditFolder('./audit') });
 * const server = createServer(definition, { guard: guarded });
 * ```
 */
export function guard(options: GuardOptions): Guard {
  const { policy, audit, limits, server, unknownNames, approvals } = readGuardOptions(options);
  const records = audit && createRecords(audit);
  const approving = approvals && guardApprovals(approvals, audit);
  const ports: GuardPorts = {
    policy,
    audit,
    limits: limits && createLimits(limits, createDeadlines()),
    approvals: approving?.ports,
    recordLimit: records?.overLimit,
    targetOf: server === undefined ? (feature) => feature : (feature) => ({ ...feature, server }),
  };
  const storeUsers = [ports.limits, approving].flatMap((user) => (user === undefined ? [] : [user]));
  const listeners = new Set<() => void>();
  policy.onChange?.((change) => {
    records?.policyChanged(change);
    for (const listener of listeners) listener();
  });
  const sees = ({ principal, address }: GuardedCaller, feature: GuardedFeature): boolean =>
    policy.visible({ principal, address, target: ports.targetOf(feature) });
  const parts: Omit<Guard, 'approvals'> = {
    sees,
    notifies(caller, feature) {
      const { principal, address } = caller;
      const request = { principal, address, action: 'subscribe', target: ports.targetOf(feature) } as const;
      return sees(caller, feature) && policy.evaluate(request).effect === 'allow';
    },
    notifiesOfTask: (caller, feature) => sees(caller, feature) && mayCall(ports, caller, ports.targetOf(feature)),
    begin(request) {
      records?.authenticated(request.caller);
      return new PolicyCall(ports, request);
    },
    countRefusal: (address, reason) => audit?.countRefusal(address || 'unknown', reason),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    explain: (decisionId) => policy.explain(decisionId),
    checkNames(features, isChange) {
      const found = findUnknownNames(policy, limits, features, server, unknownNames);
      if (found !== undefined && unknownNames === 'error' && !isChange) throw found;
      return found;
    },
    checkIssuers: (issuers) => checkSubjects(policy, issuers),
    ...(storeUsers.length > 0 && { useStore: (store) => useStoreFor(storeUsers, store) }),
  };
  return withApprovals(parts, approving?.approvals);
}

/** The error of a guard without approvals is not enumerable, so that such a guard can be spread. */
function withApprovals(parts: Omit<Guard, 'approvals'>, approvals: Approvals | undefined): Guard {
  const member = approvals === undefined ? { get: withoutApprovals } : { value: approvals, enumerable: true };
  return Object.defineProperty(parts, 'approvals', member) as Guard;
}

/** All of them use the store of the server, or none if one refuses it. */
function useStoreFor(users: readonly Pick<Limits, 'useStore'>[], store: Store): () => void {
  const releases: (() => void)[] = [];
  const releaseAll = (): void => {
    for (const release of releases.splice(0)) release();
  };
  try {
    for (const user of users) releases.push(user.useStore(store));
    return releaseAll;
  } catch (error) {
    releaseAll();
    throw error;
  }
}

function withoutApprovals(): never {
  throw new TenonError('invalid-argument', 'This guard has no approvals.', {
    hint: 'Pass approvals: {} to guard().',
    details: { place: 'approvals' },
  });
}

type GuardSettings = Filled<GuardOptions, typeof guardOptions>;

/** Throws `invalid-argument`. */
function readGuardOptions(options: GuardOptions): GuardSettings {
  const otherNames = { rules: 'policy', log: 'audit', name: 'server' };
  const read = readOptions('guard()', guardOptions, options, otherNames);
  const { policy, limits, server } = read;
  const named = policy.rules.find(({ on }) => on !== 'any' && on.server !== undefined);
  // Its deny rules would never match.
  if (named !== undefined && server === undefined)
    throw wrong('guard()', 'server', `be the name of this server: the rule ${named.id} names servers`);
  if (limits !== undefined) checkLimits('guard()', limits);
  return read;
}

/** Rules that name a subject and no issuer hold for the users of every issuer that have this name. Returns a warning. With several issuers, those that are trusted and those that rules name, it throws instead. */
function checkSubjects({ rules }: Pick<Policy, 'rules'>, trusted: readonly string[]): TenonError | undefined {
  // A `deny` that holds for too many refuses, and gives nothing away.
  const found = rules.filter((rule) => rule.effect !== 'deny' && namesSubjectOnly(rule));
  if (found.length === 0) return undefined;
  const issuers = new Set([
    ...trusted,
    ...rules.flatMap(({ to, approver }) =>
      [to, approver].flatMap((named) => (typeof named === 'object' ? (named.issuer ?? []) : [])),
    ),
  ]);
  const names = found.map(({ id, line }) => `${id} (line ${line})`).join(', ');
  const message = `Rules of the policy name a subject without its issuer: ${names}. A user of any issuer can have this name.`;
  const details = { rules: found.map(({ id }) => id), issuers: [...issuers] };
  const problem = new TenonError('invalid-definition', message, { hint: 'Add `issuer` beside `subject`.', details });
  if (issuers.size > 1) throw problem;
  return problem;
}

/** As callers, or as approvers. */
const namesSubjectOnly = ({ to, approver }: PolicyRule): boolean =>
  [to, approver].some(
    (named) => typeof named === 'object' && named.subject !== undefined && named.issuer === undefined,
  );
