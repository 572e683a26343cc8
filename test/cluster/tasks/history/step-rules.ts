/** Rules on steps: each has its effect once, runs once for each worker that took the task, and never after its entry is in the journal. */
import type { Order } from './check.ts';
import { hasEntry, isClaim, ofType, type Placed, type TaskEvent } from './events.ts';
import { type Violation, violation } from './violations.ts';

export function checkSteps(history: readonly TaskEvent[], { steps, isKeyed = true }: Order): Violation[] {
  return [
    ...steps.flatMap((step) => effectOf(history, step, isKeyed)),
    ...ofType(history, 'run').flatMap((run) => afterEntry(history, run)),
    ...steps.flatMap((step, index) => withoutClaim(history, step, steps[index - 1])),
  ];
}

function effectOf(history: readonly TaskEvent[], step: string, isKeyed: boolean): Violation[] {
  const effects = ofType(history, 'effect').filter((effect) => effect.step === step && effect.isFirst);
  if (effects.length === 0) return [violation('effect-missing', step)];
  return isKeyed && effects.length > 1 ? [violation('effect-twice', step, ...effects)] : [];
}

function afterEntry(history: readonly TaskEvent[], run: Placed<'run'>): Violation[] {
  const entry = ofType(history, 'written').find((one) => one.place < run.place && hasEntry(one, 'step', run.step));
  return entry === undefined ? [] : [violation('run-after-entry', run.step, entry, run)];
}

/** Extra runs are only those of workers that took the task after the entry of the step before: so only in the window of a loss. */
function withoutClaim(history: readonly TaskEvent[], step: string, before: string | undefined): Violation[] {
  const runs = ofType(history, 'run').filter((run) => run.step === step);
  const written = ofType(history, 'written');
  const start = written.find((one) => before !== undefined && hasEntry(one, 'step', before));
  return runs.flatMap((run, index) => {
    const since = written.filter(({ place }) => place > (start?.place ?? -1) && place < run.place);
    const claims = since.filter(isClaim);
    // The worker that wrote the entry goes on, unless it parked the task.
    const goesOn = start !== undefined && !since.some((one) => hasEntry(one, 'asked')) ? 1 : 0;
    return index < claims.length + goesOn ? [] : [violation('run-without-claim', step, ...claims, run)];
  });
}
