/** Rules on what clients see of tasks: their own, with one end and one result, and answers that arrive. */
import { groupBy, type HistoryEvent, ofType } from './events.ts';
import { isEnd } from './journal-rules.ts';
import type { TaskCreated, TaskRead, TaskResult, TaskStored } from './task-events.ts';
import { type Violation, violation } from './violations.ts';

export function checkTasks(history: readonly HistoryEvent[]): Violation[] {
  const created = ofType(history, 'task-created');
  const stored = groupBy(ofType(history, 'task-stored'), ({ task }) => task);
  const owners = ownersOf(created, stored);
  return [
    ...checkOwners(history, owners),
    ...checkLists(history, owners),
    ...checkKeys(created),
    ...[...groupBy(ofType(history, 'task-read'), ({ task }) => task)].flatMap(([task, reads]) => [
      ...checkReads(history, task, reads),
      ...checkResult(history, task, reads, stored.get(task) ?? []),
    ]),
  ];
}

/** Whose task it is, as its creator knows it; of a task that no client knows, as its store says. */
function ownersOf(created: readonly TaskCreated[], stored: ReadonlyMap<string, TaskStored[]>): Map<string, string> {
  const owners = new Map([...stored].map(([task, [first]]) => [task, first?.owner ?? '']));
  for (const { task, principal } of created.toReversed()) owners.set(task, principal);
  return owners;
}

function checkOwners(history: readonly HistoryEvent[], owners: ReadonlyMap<string, string>): Violation[] {
  return history.flatMap((event): Violation[] => {
    if (event.type === 'task-question') {
      const isOwn = event.owner === event.principal && owners.get(event.task) === event.principal;
      return isOwn ? [] : [violation('task-of-another-principal', event.task, event)];
    }
    if (event.type !== 'task-created' && event.type !== 'task-read') return [];
    const isOwn = owners.get(event.task) === event.principal;
    const isShown = event.type === 'task-created' || event.status !== 'unknown';
    if (isOwn && !isShown) return [violation('task-lost', event.task, event)];
    return isShown && !isOwn ? [violation('task-of-another-principal', event.task, event)] : [];
  });
}

function checkLists(history: readonly HistoryEvent[], owners: ReadonlyMap<string, string>): Violation[] {
  return ofType(history, 'tasks-listed').flatMap((list) => {
    const shown = new Set(list.tasks);
    const foreign = list.tasks.filter((task) => owners.get(task) !== list.principal);
    const before = ofType(history.slice(0, list.since), 'task-created').filter(
      ({ principal, task }) => principal === list.principal && !shown.has(task),
    );
    return [
      ...foreign.map((task) => violation('task-of-another-principal', task, list)),
      ...before.map((made) => violation('task-not-listed', made.task, made, list)),
    ];
  });
}

function checkKeys(created: readonly TaskCreated[]): Violation[] {
  const keyed = created.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  const groups = groupBy(keyed, ({ principal, idempotencyKey }) => JSON.stringify([principal, idempotencyKey]));
  return [...groups.values()].flatMap((group) =>
    new Set(group.map(({ task }) => task)).size > 1
      ? [violation('two-tasks-for-one-key', group[0]?.idempotencyKey ?? '', ...group)]
      : [],
  );
}

/** Each read is compared with what its client could know when it sent it. */
function checkReads(history: readonly HistoryEvent[], task: string, reads: readonly TaskRead[]): Violation[] {
  const found: Violation[] = [];
  const known = reads.filter(({ status }) => status !== 'unknown');
  const end = known.find(({ status }) => isEnd(status));
  const withOutcome = known.filter(({ outcome }) => outcome !== undefined);
  const changed = withOutcome.find(({ outcome }) => outcome !== withOutcome[0]?.outcome);
  if (changed !== undefined) found.push(violation('task-result-changed', task, withOutcome[0] as TaskRead, changed));
  const cancelled = history.findIndex((event) => event.type === 'task-cancelled' && event.task === task);
  const answered = ofType(history, 'task-answered').filter((event) => event.task === task);
  for (const read of known) {
    const isLater = end !== undefined && read.since > history.indexOf(end);
    if (end !== undefined && read.status !== end.status && (isLater || isEnd(read.status)))
      found.push(violation('task-status-after-end', task, end, read));
    if (cancelled !== -1 && read.since > cancelled && !isEnd(read.status))
      found.push(violation('task-cancel-ignored', task, history[cancelled] as HistoryEvent, read));
    for (const answer of answered) {
      const { acknowledged } = answer;
      const isOpen = acknowledged !== undefined && read.open?.includes(acknowledged) === true;
      if (isOpen && read.since > history.indexOf(answer)) found.push(violation('task-answer-lost', task, answer, read));
    }
  }
  return found;
}

function checkResult(
  history: readonly HistoryEvent[],
  task: string,
  reads: readonly TaskRead[],
  stored: readonly TaskStored[],
): Violation[] {
  const read = reads.find(({ result }) => result !== undefined);
  if (read?.result === undefined) return [];
  const { token, owner, answers } = read.result;
  const made = ofType(history, 'task-created').find((event) => event.task === task);
  const given = ofType(history, 'task-answered').filter((event) => event.task === task);
  const isGiven = ([question, text]: [string, string]): boolean =>
    given.some(({ question: asked, answer }) => asked === question && answer === text);
  const found: Violation[] = [];
  if (made !== undefined && (token !== made.token || owner !== made.principal))
    found.push(violation('task-of-another-call', task, made, read));
  if (!Object.entries(answers).every(isGiven)) found.push(violation('task-of-another-call', task, ...given, read));
  if (stored.length > 0 && !hasStored(read.result, stored)) found.push(violation('step-result-changed', task, read));
  return found;
}

/** Whether the steps of a result are those of the journal. */
function hasStored({ steps }: TaskResult, stored: readonly TaskStored[]): boolean {
  const entries = stored.flatMap((event) => event.entries).filter(({ is }) => is === 'step');
  const values = new Map(entries.toReversed().map(({ key, text }) => [key, text]));
  return Object.entries(steps).every(([key, value]) => values.get(key) === value);
}
