/** Which of the first steps were done. Once done, a step stays done. Pure but for that memory. */
import type { Known } from '../state/known.ts';

export type StepName = 'run' | 'answer' | 'versions' | 'task' | 'look' | 'copy';

interface Seen {
  readonly hasChosenRow: boolean;
  readonly copied: string | undefined;
}

const remembered = new Set<StepName>();

export function doneSteps(known: Known, seen: Seen): ReadonlySet<StepName> {
  for (const name of stepsIn(known, seen)) remembered.add(name);
  return remembered;
}

export function stepsIn({ runs, tasks }: Known, { hasChosenRow, copied }: Seen): readonly StepName[] {
  const done = runs.filter(({ status }) => status === 'done');
  const isRun = (tool: string) => done.some(({ request }) => request.kind === 'tool' && request.name === tool);
  const versions = new Set(done.map(({ protocolVersion }) => protocolVersion));
  return [
    ...(isRun('weather') ? (['run'] as const) : []),
    ...(isRun('book') ? (['answer'] as const) : []),
    ...(versions.size > 1 ? (['versions'] as const) : []),
    ...(tasks.length > 0 ? (['task'] as const) : []),
    ...(hasChosenRow ? (['look'] as const) : []),
    ...(copied === 'tenon command' ? (['copy'] as const) : []),
  ];
}
