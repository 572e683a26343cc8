/** Whether a step of the tour was done. Pure. */
import type { RunInfo, TourStep } from '../../../../src/inspector/api.ts';

/** What the page has besides its runs. */
interface Seen {
  readonly isMoment: boolean;
  readonly copied: string | undefined;
}

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
