/** What was decided for whom, for whoever keeps a record of it. */

export type DecisionKind = 'tool' | 'sample' | 'sampled' | 'roots' | 'elicit';

export interface Decision {
  readonly server: string;
  /** What it was about: a tool to run, a model to ask and its answer, roots to show, a question to the user. */
  readonly kind: DecisionKind;
  readonly decision: 'allow' | 'deny' | 'edit';
  /** What decided: a hook, its failure or its time; a limit; the user; or that nobody was there to ask. */
  readonly by: 'hook' | 'failure' | 'timeout' | 'cancelled' | 'limit' | 'user' | 'allow-all' | 'no-hook';
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
    try {
      decided?.({ ...decision, at: Date.now(), ...(tellRequests && request !== undefined && { request }) });
    } catch (error) {
      fault(decision.server, error);
    }
  };
}
