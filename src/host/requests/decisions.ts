/** Reports decisions about consent. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { HostRecorder } from './audit.ts';
import type { ConsentDuration, HostPolicyDecision } from './policy.ts';

/** What a decision is about. */
type DecisionType = 'tool' | 'sample' | 'sampleResult' | 'roots' | 'elicit' | 'resource' | 'prompt' | 'request';

/** A decision about consent, for an audit log. */
export interface Decision {
  /** The name of the server. */
  readonly server: string;
  /**
   * A tool call, a sampling request, the result of one, a request for roots, an elicitation; where a policy asks about
   * them, a resource, a prompt, or the request of an extension.
   */
  readonly type: DecisionType;
  /** Allowed, denied, or allowed with an edited value. */
  readonly decision: 'allow' | 'deny' | 'edit';
  /**
   * What decided: a hook or the user; an answer of theirs that was remembered; their failure, time-out or cancellation; a
   * limit; that the server is muted; the policy; the lock; `consent: 'allow-all'`; or that there is no hook.
   */
  readonly by:
    | ('hook' | 'user' | 'remembered' | 'failure' | 'timeout' | 'cancelled')
    | ('limit' | 'muted' | 'policy' | 'lock' | 'allow-all' | 'no-hook');
  /** The reason of the hook, if it gave one. */
  readonly reason?: string;
  /** The time, as `Date.now()` gives it. */
  readonly at: number;
  /** The tool, by its name on the server. */
  readonly tool?: string;
  /** The decision of the policy, for `host.explain`, if there is a policy. */
  readonly decisionId?: string;
  /** The rule of the policy that asked or decided. */
  readonly rule?: string;
  /** How long the answer holds, if for longer than this request. */
  readonly remember?: ConsentDuration;
  /** The request as it was allowed or denied; only with `includeRequests`. */
  readonly request?: unknown;
}

/** What a decision about consent has of the decision of the policy. */
export const ruleOf = (permission: HostPolicyDecision | undefined): Pick<Decision, 'decisionId' | 'rule'> => ({
  ...(permission !== undefined && { decisionId: permission.decisionId }),
  ...(permission?.rule !== undefined && { rule: permission.rule }),
});

/** Records a decision and reports it. Rejects if it cannot be recorded: then nothing is allowed. */
export type ReportDecision = (decision: Omit<Decision, 'at'>) => Promise<void>;

/** What servers ask for by themselves: they may do so without end. */
const byServers: ReadonlySet<DecisionType> = new Set(['elicit', 'roots', 'sample']);

/**
 * Records of requests of one server that are over a limit, for each kind of request.
 * @limit host
 * @default one in 10 s
 * @beyond the next record has their number (`omitted`)
 */
const limitIntervalMs = 10_000;

/** A flood of a server cannot fill the disk: counts what is not recorded. */
class LimitRecords {
  /** By server and type: a host has as many servers as it is configured with. */
  readonly #known = new Map<string, { readonly at: number; omitted: number }>();

  /** How many were not recorded since the last record; `undefined` if this one is not recorded either. */
  omittedBefore(server: string, type: DecisionType): number | undefined {
    const name = `${type} ${server}`;
    const known = this.#known.get(name);
    const now = Date.now();
    if (known !== undefined && Math.abs(now - known.at) < limitIntervalMs) {
      known.omitted++;
      return undefined;
    }
    this.#known.set(name, { at: now, omitted: 0 });
    return known?.omitted ?? 0;
  }
}

export function createDecisionReporter(
  onDecision: ((decision: Decision) => void) | undefined,
  includeRequests: boolean,
  recorder: HostRecorder,
  warn: (server: string, error: unknown) => void,
): ReportDecision {
  const limited = new LimitRecords();
  return async ({ request, ...decision }) => {
    const { server, type, tool, decisionId, rule, ...outcome } = decision;
    const isLimit = outcome.by === 'limit' && byServers.has(type);
    const omitted = isLimit ? limited.omittedBefore(server, type) : 0;
    if (omitted !== undefined)
      await recorder.append({
        kind: 'consent',
        what: { type, server, tool, ...(omitted > 0 && { omitted }) },
        decision: { ...outcome, decisionId, rule },
        ...(request !== undefined && { private: { request } }),
      });
    const reported = { ...decision, at: Date.now(), ...(includeRequests && request !== undefined && { request }) };
    runSafely(
      () => onDecision?.(reported),
      (cause) => warn(decision.server, new TenonError('callback-failed', 'The callback onDecision threw.', { cause })),
    );
  };
}
