/** Asks the policy of a host. Without a policy everything is left to consent. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Principal } from '../../ports/principal.ts';
import type { HostRecorder } from './audit.ts';
import type { HostAction, HostActionTarget, HostExplanation, HostPolicy, HostPolicyDecision } from './policy.ts';

export interface Permissions {
  /** Throws if the policy cannot be loaded. Wait for it before `effect`. */
  ready(): Promise<void>;
  /** What the policy would decide. Without a policy everything is allowed. */
  effect(action: HostAction, target: HostActionTarget): HostPolicyDecision['effect'];
  /** The user of the host. */
  readonly principal: Principal | undefined;
  /** What the policy would decide about arguments. */
  evaluate(action: HostAction, target: HostActionTarget, args: Fields): ReturnType<HostPolicy['evaluate']>;
  /** The decision, recorded; `undefined` without a policy. */
  decide(action: HostAction, target: HostActionTarget, args?: Fields): Promise<HostPolicyDecision | undefined>;
  explain(decisionId: string): HostExplanation | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export interface PermissionPorts {
  readonly policy: HostPolicy | Promise<HostPolicy> | undefined;
  readonly principal: Principal | undefined;
  readonly recorder: HostRecorder;
  /** Called when the policy is loaded, and whenever its rules change. */
  onChange(): void;
}

export function createPermissions({ policy: source, principal, recorder, onChange }: PermissionPorts): Permissions {
  if (source === undefined) return noPolicy;
  let policy: HostPolicy | undefined;
  const loading = (async () => {
    policy = await source;
    policy.onChange?.(onChange);
    if (source instanceof Promise) onChange();
    return policy;
  })();
  // Each use reports why it failed.
  loading.catch(() => {});
  return {
    async ready() {
      await loading;
    },
    principal,
    evaluate: (action, target, args) =>
      policy?.evaluate({ principal, action, target, arguments: args }) ?? { effect: 'deny' },
    // Nothing is allowed by a policy that is not loaded yet.
    effect: (action, target) => policy?.evaluate({ principal, action, target }).effect ?? 'deny',
    async decide(action, target, args) {
      const decision = (await loading).decide({ principal, action, target, arguments: args });
      const { decisionId, effect, rule } = decision;
      await recorder.append({
        kind: 'decision',
        what: { action, ...target },
        decision: { decisionId, effect, rule },
        ...(args && { private: { arguments: args } }),
      });
      return decision;
    },
    explain: (decisionId) => (typeof decisionId === 'string' ? policy?.explain(decisionId) : undefined),
  };
}

const noPolicy: Permissions = {
  async ready() {},
  effect: () => 'allow',
  principal: undefined,
  evaluate: () => ({ effect: 'allow' }),
  decide: async () => undefined,
  explain: () => undefined,
};

/** Throws `permission-denied` if the policy denies it. `what` begins the message. */
export function refuseDenied(
  decision: HostPolicyDecision | undefined,
  action: HostAction,
  target: HostActionTarget,
  what: string,
): void {
  if (decision?.effect !== 'deny') return;
  const { decisionId, rule } = decision;
  const why = rule === undefined ? 'no rule of the policy allows it' : `rule ${rule} of the policy denies it`;
  throw new TenonError('permission-denied', `${what}: ${why}.`, {
    hint: `host.explain(${JSON.stringify(decisionId)}) has the details.`,
    details: { ...target, action, decisionId, rule },
  });
}
