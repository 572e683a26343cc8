/** Reports decisions about consent. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { runSafely } from '../../jsonrpc/run-safely.ts';

/** What a decision is about. */
type DecisionType = 'tool' | 'sample' | 'sampleResult' | 'roots' | 'elicit';

/** A decision about consent, for an audit log. */
export interface Decision {
  /** The name of the server. */
  readonly server: string;
  /** A tool call, a sampling request, the result of one, a request for roots, or an elicitation. */
  readonly type: DecisionType;
  /** Allowed, denied, or allowed with an edited value. */
  readonly decision: 'allow' | 'deny' | 'edit';
  /**
   * What decided: a hook or the user; their failure, time-out or cancellation; a limit; `consent: 'allow-all'`; or that
   * there is no hook.
   */
  readonly by: 'hook' | 'failure' | 'timeout' | 'cancelled' | 'limit' | 'user' | 'allow-all' | 'no-hook';
  /** The reason of the hook, if it gave one. */
  readonly reason?: string;
  /** The time, as `Date.now()` gives it. */
  readonly at: number;
  /** The tool, by its name on the server. */
  readonly tool?: string;
  /** The request as it was allowed or denied; only with `includeRequests`. */
  readonly request?: unknown;
}

/** Reports a decision. Its request is included only with `includeRequests`. */
export type ReportDecision = (decision: Omit<Decision, 'at'>) => void;

export function createDecisionReporter(
  onDecision: ((decision: Decision) => void) | undefined,
  includeRequests: boolean,
  warn: (server: string, error: unknown) => void,
): ReportDecision {
  return ({ request, ...decision }) => {
    const reported = { ...decision, at: Date.now(), ...(includeRequests && request !== undefined && { request }) };
    runSafely(
      () => onDecision?.(reported),
      (cause) => warn(decision.server, new TenonError('callback-failed', 'The callback onDecision threw.', { cause })),
    );
  };
}
