/** The options of `guard()`. */

import { checkOptions, has, type Rule, type Rules, wrong } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { GuardLimits } from '../limits/options.ts';
import type { Policy } from '../policy/policy.ts';

/** The documents before and after a change, by their SHA-256. */
export interface PolicyVersions {
  /** The document that decides now. */
  readonly digest: string;
  /** The document that decided before. */
  readonly previousDigest: string;
}

/** A policy that may change while the server runs. */
export interface ChangingPolicy extends Policy {
  /** Calls back when another document holds. Returns a function that stops. */
  onChange?(listener: (change?: PolicyVersions) => void): () => void;
}

/** The options of `guard()`. */
export interface GuardOptions {
  /** Who may see and do what. */
  readonly policy: ChangingPolicy;
  /** Where authentication, decisions and calls are recorded. By default nothing is. */
  readonly audit?: AuditLog;
  /** How often callers may call, and how many of their calls may run at once. By default there are no limits. */
  readonly limits?: GuardLimits;
  /** The name of this server in rules with `on: { server: … }`. A policy with such rules needs it. */
  readonly server?: string;
}

const rules: Rules & Record<keyof GuardOptions, Rule> = {
  policy: {
    holds: (value) => has(value, 'decide') && has(value, 'visible'),
    must: 'be the result of createPolicy(text), or of policyFile(path) on Node',
  },
  audit: {
    holds: (value) => has(value, 'begin') && has(value, 'append') && has(value, 'countRefusal'),
    must: 'be an audit log, such as auditFolder(folder) on Node',
  },
  // `createLimits` checks its members.
  limits: { holds: isRecord, must: "be an object such as { perPrincipal: '100/min' }" },
  server: { holds: (value) => typeof value === 'string' && value !== '', must: 'be the name of the server' },
};

/** Throws `invalid-argument`. */
export function checkGuardOptions(options: GuardOptions): void {
  checkOptions('guard()', options, rules, 'invalid-argument', { rules: 'policy', log: 'audit', name: 'server' });
  const { policy, server } = options;
  if (policy === undefined) throw wrong('guard()', 'policy', rules.policy.must);
  const named = policy.rules.find(({ on }) => on !== 'any' && on.server !== undefined);
  // Its deny rules would never match.
  if (named !== undefined && server === undefined)
    throw wrong('guard()', 'server', `be the name of this server: the rule ${named.id} names servers`);
}
