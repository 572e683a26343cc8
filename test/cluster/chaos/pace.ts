/** Counts the steps of a run and carries out its faults at their steps: a run advances by what it does, not by time. */
import type { PlannedFault } from './schedule.ts';

export interface Pace {
  /**
   * A step has been made, by a handler of this node or by a client. Resolves at once, or after the fault that begins with
   * it: then its caller is in the middle of something.
   */
  step(node?: string): Promise<void>;
  /** Ends the fault that has begun; no others begin. */
  finish(): Promise<void>;
}

export interface FaultActions {
  /** `node` is the one whose handler made the step. */
  begin(fault: PlannedFault, node: string | undefined): Promise<void>;
  end(fault: PlannedFault): Promise<void>;
}

export function createPace(faults: readonly PlannedFault[], { begin, end }: FaultActions): Pace {
  const planned = [...faults];
  let steps = 0;
  let current: { readonly fault: PlannedFault; readonly until: number } | undefined;
  /** A fault begins after the one before has ended, which takes as long as a node takes to start. */
  let ended: Promise<void> = Promise.resolve();

  function endCurrent(): void {
    const { fault } = current ?? {};
    current = undefined;
    if (fault !== undefined) ended = endAfter(ended, fault);
  }

  async function beginAfter(before: Promise<void>, fault: PlannedFault, node: string | undefined): Promise<void> {
    await before;
    await begin(fault, node);
  }

  async function endAfter(before: Promise<void>, fault: PlannedFault): Promise<void> {
    await before;
    await end(fault);
  }

  return {
    async step(node) {
      steps++;
      if (current !== undefined && steps >= current.until) endCurrent();
      const next = planned[0];
      if (current !== undefined || next === undefined || steps < next.atStep || !fits(next, node)) return;
      planned.shift();
      current = { fault: next, until: steps + next.forSteps };
      ended = beginAfter(ended, next, node);
      await ended;
    },
    async finish() {
      planned.length = 0;
      endCurrent();
      await ended;
    },
  };
}

/** A fault in the middle of a call waits for a step of a handler. */
const fits = ({ what }: PlannedFault, node: string | undefined): boolean =>
  what.kind === 'store' || !what.isInCall || node !== undefined;
