/** Faults planted into the store of tasks: the checker must find each of them. */
import type { NewTask, StoredTask, TakenTask, TaskChange, TaskCreation, TaskPage } from 'tenon/store';
import type { Entry } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import type { Planted, PlantedFault, Run } from '../planted-faults.ts';
import type { TaskTool } from './task-server.ts';

type Instead = { readonly value: unknown } | undefined;

const entriesOf = ({ entries }: TaskChange): Entry[] => entries.map((text) => JSON.parse(text) as Entry);
const has = (change: TaskChange, ...kinds: readonly Entry['is'][]): boolean =>
  entriesOf(change).some(({ is }) => kinds.includes(is));
const stateIn = (data: string): string => (JSON.parse(data) as { state: { is: string } }).state.is;

/** Does something else with some writes. */
const writing =
  (instead: (row: StoredTask, change: TaskChange, run: Run) => Instead) =>
  (): PlantedFault =>
  (operation, given, run) =>
    operation === 'tasks.write' ? instead(given[0] as StoredTask, given[1] as TaskChange, run) : undefined;

/** Changes what an operation answers. */
const answering =
  <T>(wanted: string, change: (answer: T, given: readonly unknown[]) => unknown) =>
  (): PlantedFault =>
  (operation, given, run) =>
    operation === wanted ? { value: change(run(...given) as T, given) } : undefined;

/** Changes each entry of the journals that are read, by themselves or with a task that is taken. */
const reading =
  (change: (text: string) => string): PlantedFault =>
  (operation, given, run) => {
    if (operation === 'tasks.readJournal') return { value: (run(...given) as readonly string[]).map(change) };
    if (operation !== 'tasks.take') return undefined;
    const found = run(...given) as readonly TakenTask[];
    return { value: found.map(({ task, entries }) => ({ task, entries: entries.map(change) })) };
  };

/** One answer is mistaken for the one that was read before it. */
function answersOfOthers(): PlantedFault {
  let last: Entry | undefined;
  return reading((text) => {
    const entry = JSON.parse(text) as Entry;
    if (entry.is !== 'answer') return text;
    const other = last;
    last = entry;
    return other?.is === 'answer' ? JSON.stringify({ ...entry, answer: other.answer }) : text;
  });
}

/** The step of another run is in the journal that is read. */
const otherSteps = (): PlantedFault =>
  reading((text) => {
    const entry = JSON.parse(text) as Entry;
    return entry.is === 'step' ? JSON.stringify({ ...entry, value: `${String(entry.value)}?` }) : text;
  });

/** Longer with every read. */
function otherResults(): PlantedFault {
  let blanks = '';
  return reading((text) => {
    if (!text.startsWith('{"is":"result"')) return text;
    blanks += ' ';
    return text.replace('"text":"', `"text":"${blanks}`);
  });
}

/** Every write replaces what is stored, whichever version its writer knows. */
function unfenced(): PlantedFault {
  const versions = new Map<string, string>();
  return (operation, given, run) => {
    if (operation === 'tasks.write') {
      const [row, change] = given as [StoredTask, TaskChange];
      const isDone = run({ ...row, version: versions.get(row.id) ?? row.version }, change) as boolean;
      if (isDone && change.version !== undefined) versions.set(row.id, change.version);
      return { value: isDone };
    }
    if (operation === 'tasks.create') {
      const made = run(...given) as TaskCreation;
      if (typeof made !== 'string') versions.set(made.task.id, made.task.version);
      return { value: made };
    }
    if (operation !== 'tasks.take' && operation !== 'tasks.takeEnding') return undefined;
    const found = run(...given) as readonly TakenTask[];
    for (const { task } of found) versions.set(task.id, task.version);
    return { value: found };
  };
}

interface PlantedInTasks extends Planted {
  /** The tool whose tasks show it soonest. */
  readonly tool?: TaskTool;
}

export const plantedTaskFaults: readonly PlantedInTasks[] = [
  {
    name: 'no write is fenced',
    rules: ['task-transition', 'task-changed-after-end', 'task-ended-twice', 'step-result-changed'],
    create: unfenced,
  },
  {
    name: 'the result of a step is not written',
    rules: ['step-ran-after-entry', 'step-result-changed'],
    create: writing((row, change, run) =>
      has(change, 'step') ? { value: run(row, { ...change, entries: [] }) } : undefined,
    ),
  },
  {
    name: 'the mark of a step that must not run twice is not written',
    rules: ['step-ran-twice'],
    tool: 'once',
    create: writing((row, change, run) =>
      has(change, 'begun') ? { value: run(row, { ...change, entries: [] }) } : undefined,
    ),
  },
  {
    name: 'the state of a task that has finished is not written',
    rules: ['task-ended-twice', 'task-changed-after-end'],
    create: writing((row, change, run) =>
      has(change, 'result')
        ? { value: run(row, { ...change, data: row.data, claimInMs: 500, isOver: false }) }
        : undefined,
    ),
  },
  {
    name: 'a cancellation is not written',
    rules: ['task-changed-after-end', 'task-cancel-ignored'],
    create: writing((_row, { data }) => (stateIn(data) === 'cancelled' ? { value: true } : undefined)),
  },
  {
    name: 'an answer is not written',
    rules: ['task-answer-lost', 'task-answer-twice'],
    tool: 'survey',
    create: writing((_row, change) => (has(change, 'answer') ? { value: true } : undefined)),
  },
  { name: 'the answer to another question is read', rules: ['task-of-another-call'], create: answersOfOthers },
  { name: 'the results of steps change', rules: ['step-result-changed'], create: otherSteps },
  { name: 'the result of a task changes', tool: 'report', rules: ['task-result-changed'], create: otherResults },
  {
    name: 'a task that was lost by its worker is never offered again',
    rules: ['task-never-ended'],
    create: () => {
      const offered = new Set<string>();
      const fault = answering<readonly TakenTask[]>('tasks.take', (found) =>
        found.filter(({ task: { id, data, taken } }) => {
          const isLost = stateIn(data) === 'running' || (taken?.count ?? 0) > 1;
          if (isLost && offered.has(id)) return false;
          offered.add(id);
          return true;
        }),
      )();
      // It would fail at its deadline.
      return (operation, given, run) =>
        operation === 'tasks.takeEnding' ? { value: [] } : fault(operation, given, run);
    },
  },
  {
    name: 'deadlines are ignored',
    tool: 'survey',
    rules: ['task-never-ended'],
    create: answering('tasks.takeEnding', () => []),
  },
  {
    name: 'a task is not stored',
    rules: ['task-lost', 'task-never-ended'],
    create: () => {
      let made = 0;
      return (operation, given) => {
        if (operation !== 'tasks.create' || ++made % 3 !== 0) return undefined;
        const { id, owner, kind, data, endsInMs } = given[0] as NewTask;
        const now = Date.now();
        const times = { createdAt: now, updatedAt: now, endsAt: now + endsInMs, now };
        const task: StoredTask = {
          id,
          owner,
          share: owner,
          kind,
          queue: kind,
          data,
          isOver: false,
          version: 'none',
          ...times,
        };
        return { value: { task, isNew: true } satisfies TaskCreation };
      };
    },
  },
  {
    name: 'idempotency keys are ignored',
    rules: ['two-tasks-for-one-key'],
    create: () => (operation, given, run) => {
      if (operation !== 'tasks.create') return undefined;
      const { key: _, ...task } = given[0] as NewTask;
      return { value: run(task, given[1]) };
    },
  },
  {
    name: 'a list has the tasks of all',
    rules: ['task-of-another-principal'],
    create: () => (operation, given, run) =>
      operation === 'tasks.list' ? { value: run('ada', given[1], given[2]) } : undefined,
  },
  {
    name: 'a key of one principal finds the task of another',
    rules: ['task-of-another-principal', 'task-of-another-call'],
    create: () => (operation, given, run) =>
      operation === 'tasks.create' ? { value: run({ ...(given[0] as NewTask), owner: 'ada' }, given[1]) } : undefined,
  },
  {
    name: 'a list leaves out its last task',
    rules: ['task-not-listed'],
    create: answering<TaskPage>('tasks.list', (page) => ({ ...page, tasks: page.tasks.slice(0, -1) })),
  },
  {
    name: 'an ended task is read as it was before',
    rules: ['task-status-after-end'],
    create: () => {
      const before = new Map<string, string>();
      let reads = 0;
      return (operation, given, run) => {
        if (operation !== 'tasks.read') return undefined;
        const row = run(...given) as StoredTask | undefined;
        if (row === undefined || !row.isOver) {
          if (row !== undefined) before.set(row.id, row.data);
          return { value: row };
        }
        return { value: ++reads % 3 === 0 ? { ...row, data: before.get(row.id) ?? row.data } : row };
      };
    },
  },
];
