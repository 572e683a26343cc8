/** The options of `guard()`. */
import { has, type Rule } from '../../lib/options/option-rules.ts';
import type { ApprovalOptions } from '../approvals/options.ts';
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

/**
 * The options of `guard()`.
 * @area guard
 */
export interface GuardOptions {
  /**
   * Who may see and do what.
   * @rule guardPolicy
   */
  readonly policy: ChangingPolicy;
  /**
   * Where authentication, decisions and calls are recorded.
   * @default off
   * @rule guardAudit
   */
  readonly audit?: AuditLog;
  /**
   * How often callers may call, and how many of their calls may run at once.
   * @default off
   */
  readonly limits?: GuardLimits;
  /**
   * How calls of tools get the approval that an `ask` rule needs. Without it such a rule refuses.
   * @default off
   */
  readonly approvals?: ApprovalOptions;
  /**
   * The name of this server in rules with `on: { server: … }`. A policy with such rules needs it.
   * @default off
   */
  readonly server?: string;
  /**
   * What happens if a rule or a limit names a feature that the server does not have: an `error` of `createServer()`, or a
   * warning to its `onError`. `warn` is for names that come by `update()`, and for a policy that several servers share. A
   * reloaded policy always warns.
   * @default 'error'
   */
  readonly unknownNames?: 'error' | 'warn';
}

export const guardPolicy: Rule = {
  holds: (value) => has(value, 'decide') && has(value, 'visible'),
  must: "be the result of createPolicy(text), or on Node the path of its file, such as 'policy.yaml'",
};

export const guardAudit: Rule = {
  holds: (value) => has(value, 'begin') && has(value, 'append') && has(value, 'countRefusal'),
  must: 'be an audit log, such as auditFolder(folder) on Node',
};
