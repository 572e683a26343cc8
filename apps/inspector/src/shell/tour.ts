/** Which steps of the tour were done. Once done, a step stays done, also when the program was started again. */
import { effect, signal } from '@preact/signals';
import type { RunInfo, TourStep } from '../../../../src/inspector/api.ts';
import { copiedTitle } from '../features/copy-menu.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { known } from '../state/store.ts';
import { sideView } from '../state/timeline.ts';

/** What the page has besides its runs. */
interface Seen {
  readonly isMoment: boolean;
  readonly copied: string | undefined;
}

/** Whether what a step is about was done. Pure. */
export function isDone({ doneBy }: TourStep, runs: readonly RunInfo[], { isMoment, copied }: Seen): boolean {
  if ('moment' in doneBy) return isMoment;
  if ('copied' in doneBy) return copied === doneBy.copied;
  if ('resource' in doneBy)
    return runs.some(
      ({ request, status }) => request.kind === 'resource' && request.uri === doneBy.resource && status === 'done',
    );
  if ('refused' in doneBy) return runs.some((run) => toolOf(run) === doneBy.refused && run.status === 'failed');
  const calls = runs.filter((run) => toolOf(run) === doneBy.tool && run.status === 'done');
  return new Set(calls.map(({ protocolVersion }) => protocolVersion)).size >= (doneBy.versions ?? 1);
}

/** A task that is followed after a restart is a call of its tool. */
const toolOf = ({ request }: RunInfo): string | undefined =>
  request.kind === 'tool' ? request.name : request.kind === 'task' ? request.tool : undefined;

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
