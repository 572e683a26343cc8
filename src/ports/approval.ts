/** Who may approve a call that a rule asks about, other than its caller: what policies, guards and hosts share. */
import type { Principal } from './principal.ts';

/** A principal that may approve. Each member that is set must match; of a list one entry. */
export interface RuleApprover {
  /** Exact issuers of principals. */
  readonly issuer?: readonly string[];
  /** Exact subjects of principals. */
  readonly subject?: readonly string[];
  /** Scopes of the request that approves. */
  readonly scope?: readonly string[];
  /** Roles of the principal. */
  readonly role?: readonly string[];
}

/** Whether a principal is one that a rule names. */
export function isNamed(
  { issuer, subject, scope, role }: RuleApprover,
  principal: Pick<Principal, 'issuer' | 'subject' | 'scopes' | 'roles'>,
): boolean {
  if (issuer !== undefined && !issuer.includes(principal.issuer)) return false;
  if (subject !== undefined && !subject.includes(principal.subject)) return false;
  if (scope !== undefined && !haveCommon(scope, principal.scopes)) return false;
  return role === undefined || haveCommon(role, principal.roles);
}

function haveCommon(wanted: readonly string[], present: readonly string[]): boolean {
  for (const one of wanted) if (present.includes(one)) return true;
  return false;
}
