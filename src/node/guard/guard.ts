/** `guard()` on Node: the policy may be the path of a file. */
import { guard as createGuard, type Guard } from '../../guard/server/guard.ts';
import type { ChangingPolicy, GuardOptions as Options } from '../../guard/server/options.ts';
import { policyFile } from './policy-file.ts';

/** The options of `guard()`. */
export interface GuardOptions extends Omit<Options, 'policy'> {
  /** Who may see and do what: a policy, or the path of its file, which is reloaded when it changes. */
  readonly policy: ChangingPolicy | string;
}

/**
 * Guards a server: what a caller may not see does not exist for it, every call is decided, and recorded before it runs
 * and before its answer leaves.
 *
 * ```ts
 * const guarded = guard({ policy: 'policy.yaml', audit: auditFolder('./audit') });
 * const server = createServer(definition, { guard: guarded });
 * ```
 */
export function guard(options: GuardOptions): Guard {
  const policy = typeof options?.policy === 'string' ? policyFile(options.policy) : options?.policy;
  return createGuard({ ...options, policy });
}
