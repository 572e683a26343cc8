/** Decisions of consent, reported for a record of them. */
import { runSafely } from '../../jsonrpc/run-safely.ts';

export type DecisionKind = 'tool' | 'sample' | 'sampled' | 'roots' | 'elicit';

export interface Decision {
  readonly server: string;
  /** What it was about: a tool to run, a model to ask and its answer, roots to show, a question to the user. */
  readonly kind: DecisionKind;
  readonly decision: 'allow' | 'deny' | 'edit';
  /** What decided: a hook or the user; that they failed, took too long or were given up; a limit; or that nobody was there to ask. */
  readonly by: 'hook' | 'failure' | 'timeout' | 'cancelled' | 'limit' | 'user' | 'allow-all' | 'no-hook';
  /** Why it was denied, where the hook said so. */
  readonly reason?: string;
  /** The moment, as Date.now() has it. */
  readonly at: number;
  /** The tool, by its name on the server. */
  readonly tool?: string;
  /** What it was about, as it was decided; only with `tellRequests`. */
  readonly request?: unknown;
}

/** Reports a decision. Its request is included only with `tellRequests`. */
export type ReportDecision = (decision: Omit<Decision, 'at'>) => void;

export function createDecisionReporter(
  decided: ((decision: Decision) => void) | undefined,
  tellRequests: boolean,
  fault: (server: string, error: unknown) => void,
): ReportDecision {
  return ({ request, ...decision }) => {
    const reported = { ...decision, at: Date.now(), ...(tellRequests && request !== undefined && { request }) };
    runSafely(
      () => decided?.(reported),
      (error) => fault(decision.server, error),
    );
  };
}
