/** What was decided for whom, for whoever keeps a record of it. */
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

/** Tells of a decision. What it was about goes along only where that was asked for. */
export type Decide = (decision: Omit<Decision, 'at'>) => void;

export function createDecide(
  decided: ((decision: Decision) => void) | undefined,
  tellRequests: boolean,
  fault: (server: string, error: unknown) => void,
): Decide {
  return ({ request, ...decision }) => {
    const told = { ...decision, at: Date.now(), ...(tellRequests && request !== undefined && { request }) };
    runSafely(
      () => decided?.(told),
      (error) => fault(decision.server, error),
    );
  };
}
