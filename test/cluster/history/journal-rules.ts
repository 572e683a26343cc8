/** Rules on what the store of tasks acknowledged: states follow their table, each task ends once, and no step runs after its entry. */
import { groupBy, type HistoryEvent, ofType } from './events.ts';
import type { JournalEntry, StepRun, TaskEnding, TaskStateName, TaskStored } from './task-events.ts';
import { type Violation, violation } from './violations.ts';

/** Written down a second time, apart from the engine: which state may follow which. */
const followers: Readonly<Record<TaskStateName, readonly TaskStateName[]>> = {
  ready: ['running', 'cancelled', 'failed'],
  running: ['running', 'parked', 'ready', 'completed', 'failed', 'cancelled'],
  parked: ['parked', 'running', 'cancelled', 'failed'],
  completed: [],
  failed: [],
  cancelled: [],
};

export const isEnd = (state: string): boolean => state === 'completed' || state === 'failed' || state === 'cancelled';

type Written = TaskStored | TaskEnding | StepRun;

/** The history must go on until every task has passed its deadline. */
export function checkJournals(history: readonly HistoryEvent[]): Violation[] {
  const events: Written[] = history.filter(
    (event) => event.type === 'task-stored' || event.type === 'task-ending' || event.type === 'step-run',
  );
  const known = new Set(ofType(history, 'task-stored').map(({ task }) => task));
  return [...groupBy(events, ({ task }) => task)].flatMap(([task, own]) => [
    ...checkUnannounced(task, own),
    ...(known.has(task) ? checkTask(task, own) : []),
  ]);
}

function checkTask(task: string, events: readonly Written[]): Violation[] {
  const stored = events.filter((event) => event.type === 'task-stored');
  const last = stored.at(-1);
  return [
    ...checkChanges(task, events),
    ...checkEnds(task, stored),
    ...checkSteps(task, events),
    ...checkAnswers(task, stored),
    ...(last === undefined || isEnd(last.state) ? [] : [violation('task-never-ended', task, last)]),
  ];
}

function checkChanges(task: string, events: readonly Written[]): Violation[] {
  const found: Violation[] = [];
  let last: TaskStored | undefined;
  let written: TaskStored | undefined;
  for (const event of events) {
    if (event.type === 'task-ending') last = written;
    if (event.type !== 'task-stored') continue;
    found.push(...checkChange(task, last, event));
    last = event;
    if (event.isTaken !== true) written = event;
  }
  return found;
}

function checkChange(task: string, before: TaskStored | undefined, after: TaskStored): Violation[] {
  if (before === undefined) return isFirst(after) ? [] : [violation('task-transition', task, after)];
  if (isEnd(before.state)) return [violation('task-changed-after-end', task, before, after)];
  const isAllowed = followers[before.state].includes(after.state) && hasFence(before, after);
  return isAllowed ? [] : [violation('task-transition', task, before, after)];
}

/** Its creator may run it from the beginning. */
const isFirst = ({ state, fence }: TaskStored): boolean =>
  state === 'ready' ? fence === 0 : state === 'running' && fence === 1;

/** A task has no record before it is announced, or one that says so. */
function checkUnannounced(task: string, events: readonly Written[]): Violation[] {
  const ran: StepRun[] = [];
  for (const event of events) {
    if (event.type === 'task-stored' && event.isUnannounced !== true) return [];
    if (event.type !== 'step-run') continue;
    const earlier = ran.find(({ node, key }) => node !== event.node || key === event.key);
    if (earlier !== undefined) return [violation('task-ran-unannounced-twice', task, earlier, event)];
    ran.push(event);
  }
  return [];
}

/** Each worker has a fence of its own, and the end has one; nothing else changes it. */
function hasFence(before: TaskStored, after: TaskStored): boolean {
  const isTaken = after.state === 'running' && after.nonce !== before.nonce;
  return after.fence === before.fence + (isTaken || isEnd(after.state) ? 1 : 0);
}

const isOutcome = ({ is }: JournalEntry): boolean => is === 'result' || is === 'error';

function checkEnds(task: string, stored: readonly TaskStored[]): Violation[] {
  const ends = stored.filter(({ state, entries }) => isEnd(state) || entries.some(isOutcome));
  return ends.length > 1 ? [violation('task-ended-twice', task, ...ends)] : [];
}

function checkSteps(task: string, events: readonly Written[]): Violation[] {
  const found: Violation[] = [];
  const entered = new Map<string, { readonly text: string | undefined; readonly by: TaskStored }>();
  const ran = new Map<string, StepRun>();
  for (const event of events) {
    if (event.type === 'step-run') {
      const entry = entered.get(event.key);
      if (entry !== undefined) found.push(violation('step-ran-after-entry', task, entry.by, event));
      const earlier = ran.get(event.key);
      if (event.once === true && earlier !== undefined) found.push(violation('step-ran-twice', task, earlier, event));
      ran.set(event.key, event);
    }
    if (event.type !== 'task-stored') continue;
    for (const { is, key = '', text } of event.entries) {
      if (is !== 'step') continue;
      const entry = entered.get(key);
      // A write whose acknowledgement was lost is made again: the same result.
      if (entry === undefined) entered.set(key, { text, by: event });
      else if (entry.text !== text) found.push(violation('step-result-changed', task, entry.by, event));
    }
  }
  return found;
}

function checkAnswers(task: string, stored: readonly TaskStored[]): Violation[] {
  const answers = stored.flatMap((by) =>
    by.entries.filter(({ is }) => is === 'answer').map(({ key = '' }) => ({ key, by })),
  );
  return [...groupBy(answers, ({ key }) => key).values()].flatMap((same) =>
    same.length > 1 ? [violation('task-answer-twice', task, ...same.map(({ by }) => by))] : [],
  );
}
