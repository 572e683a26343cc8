/** Which steps of the tour were done. Once done, a step stays done, also when the program was started again. */
import { effect, signal } from '@preact/signals';
import { copiedTitle } from '../features/copy-menu.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { known } from '../state/store.ts';
import { sideView } from '../state/timeline.ts';
import { isDone } from './done-steps.ts';

const place = 'tenon-inspector-steps-done';
const stored = (): readonly string[] => JSON.parse(sessionStorage.getItem(place) ?? '[]') as string[];

export const doneSteps = signal<ReadonlySet<string>>(new Set());

export function followTour(): void {
  doneSteps.value = new Set(stored());
  effect(() => {
    const { tour = [], runs } = known.value;
    const seen = {
      isMoment: chosenSeq.value !== undefined && sideView.value === 'state',
      copied: copiedTitle.value,
    };
    const before = doneSteps.peek();
    const added = tour.filter((step) => !before.has(step.id) && isDone(step, runs, seen));
    if (added.length === 0) return;
    doneSteps.value = new Set([...before, ...added.map(({ id }) => id)]);
    sessionStorage.setItem(place, JSON.stringify([...doneSteps.peek()]));
  });
}
