/** Rules on steps: each has its effect once, runs again only after a loss, and never after its entry is in the journal. */
import type { Order } from './check.ts';
import { hasLoss, ofType, type Placed, type TaskEvent } from './events.ts';
import { type Violation, violation } from './violations.ts';

export function checkSteps(history: readonly TaskEvent[], { steps, isKeyed = true }: Order): Violation[] {
  const runs = ofType(history, 'run');
  return [
    ...steps.flatMap((step) => effectOf(history, step, isKeyed)),
    ...runs.flatMap((run) => afterEntry(history, run)),
    ...runs.flatMap((run, index) => {
      const before = runs.slice(0, index).findLast(({ step }) => step === run.step);
      if (before === undefined || hasLoss(history, before.place, run.place)) return [];
      return [violation('run-without-loss', run.step, before, run)];
    }),
  ];
}

function effectOf(history: readonly TaskEvent[], step: string, isKeyed: boolean): Violation[] {
  const effects = ofType(history, 'effect').filter((effect) => effect.step === step && effect.isFirst);
  if (effects.length === 0) return [violation('effect-missing', step)];
  return isKeyed && effects.length > 1 ? [violation('effect-twice', step, ...effects)] : [];
}

function afterEntry(history: readonly TaskEvent[], run: Placed<'run'>): Violation[] {
  const entry = ofType(history, 'written').find(
    ({ isDone, entries, place }) =>
      isDone && place < run.place && entries.some(({ is, key }) => is === 'step' && key === run.step),
  );
  return entry === undefined ? [] : [violation('run-after-entry', run.step, entry, run)];
}
