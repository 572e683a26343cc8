/** What the page knows of the backend, and how events change it. Pure: rows of the timeline are in `rows.ts`. */

import type { Task } from '../../../../src/client/api/tasks.ts';
import type {
  ApiError,
  FeatureKind,
  InspectorEvent,
  LogEvent,
  Overview,
  RunInfo,
} from '../../../../src/inspector/api.ts';

/** A log message of a server, a line of its process, or a warning of the client. */
export interface LogLine {
  readonly source: 'server' | 'process' | 'client';
  readonly seq: number;
  readonly at: number;
  readonly client: string;
  /** Of a line of a process, where it wrote it: `stderr`. */
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

/** A task of a client. */
export interface KnownTask {
  readonly client: string;
  readonly task: Task;
}

/** The overview with the changes since, and what is only in events. */
export interface Known extends Omit<Overview, 'first' | 'seq' | 'logs'> {
  /** The newest last; older ones are dropped. */
  readonly logs: readonly LogLine[];
  /** The newest first. */
  readonly tasks: readonly KnownTask[];
  /** How often each list has changed, by `listKey`. */
  readonly listChanges: Readonly<Record<string, number>>;
  /** The last update of each subscribed resource, by `CLIENT URI`. */
  readonly updates: Readonly<Record<string, number>>;
  readonly error?: ApiError;
}

/**
 * On the page: log lines.
 * @limit inspector
 * @beyond the oldest are dropped
 */
export const maxLogLines = 2000;

export const nothingKnown: Known = {
  version: '',
  process: '',
  protocolVersions: [],
  clients: [],
  runs: [],
  questions: [],
  recordings: [],
  logs: [],
  tasks: [],
  listChanges: {},
  updates: {},
};

export const listKey = (client: string, kind: FeatureKind): string => `${client} ${kind}`;
export const updateKey = (client: string, uri: string): string => `${client} ${uri}`;

/** Begins with an overview. Counters of an earlier one stay, and so do logs: an overview has only the newest. */
export function fromOverview(overview: Overview, before: Known): Known {
  const { version, process, protocolVersions, clients, runs, questions, recordings, suggestion, tour, approver } =
    overview;
  const last = before.logs.at(-1)?.seq ?? 0;
  const newer = overview.logs.filter(({ seq }) => seq > last).map(logLine);
  const logs = [...before.logs, ...newer].slice(-maxLogLines);
  const found = runs.flatMap(({ client, task }) => (task === undefined ? [] : [{ client, task }]));
  const tasks = found.reduceRight(withTaskOfRun, before.tasks);
  const next = { version, process, protocolVersions, clients, runs, questions, recordings, logs, tasks };
  return {
    ...before,
    ...next,
    ...(suggestion && { suggestion }),
    ...(tour && { tour }),
    ...(approver && { approver }),
  };
}

export function reduce(known: Known, event: InspectorEvent): Known {
  switch (event.type) {
    case 'client':
      return { ...known, clients: replaced(known.clients, event.client, 'last') };
    case 'client-removed':
      return withoutClient(known, event.client);
    case 'run':
      return withRun(known, event.run);
    case 'run-removed':
      return { ...known, runs: known.runs.filter(({ id }) => id !== event.run) };
    case 'question':
      return { ...known, questions: replaced(known.questions, event.question, 'last') };
    case 'question-closed':
      return { ...known, questions: known.questions.filter(({ id }) => id !== event.question) };
    case 'recording':
      return { ...known, recordings: replaced(known.recordings, event.recording, 'last') };
    case 'recording-removed':
      return { ...known, recordings: known.recordings.filter(({ id }) => id !== event.recording) };
    case 'list-changed': {
      const key = listKey(event.client, event.kind);
      return { ...known, listChanges: { ...known.listChanges, [key]: (known.listChanges[key] ?? 0) + 1 } };
    }
    case 'resource-updated':
      return { ...known, updates: { ...known.updates, [updateKey(event.client, event.uri)]: event.at } };
    case 'task':
      return { ...known, tasks: withTask(known.tasks, event) };
    case 'log':
    case 'output':
    case 'warning':
      return { ...known, logs: [...known.logs, logLine(event)].slice(-maxLogLines) };
    case 'auth': {
      const found = known.clients.find(({ id }) => id === event.client);
      if (found === undefined) return known;
      return { ...known, clients: replaced(known.clients, { ...found, auth: [...found.auth, event.step] }, 'last') };
    }
    case 'row':
    case 'reset':
      return known;
  }
}

function logLine(event: LogEvent): LogLine {
  const { seq, at, client } = event;
  if (event.type === 'output') return { source: 'process', seq, at, client, level: event.stream, data: event.text };
  if (event.type === 'warning')
    return { source: 'client', seq, at, client, level: 'warning', logger: event.code, data: event.message };
  const { level, logger, data } = event;
  return { source: 'server', seq, at, client, level, data, ...(logger !== undefined && { logger }) };
}

function withRun(known: Known, run: RunInfo): Known {
  const { client, task } = run;
  const tasks = task === undefined ? known.tasks : withTaskOfRun(known.tasks, { client, task });
  return { ...known, tasks, runs: replaced(known.runs, run, 'first') };
}

const isSameTask = (one: KnownTask, other: KnownTask): boolean =>
  one.client === other.client && one.task.taskId === other.task.taskId;

/** A run remembers the task as it was when it began: what is known of it is newer. */
const withTaskOfRun = (tasks: readonly KnownTask[], { client, task }: KnownTask): readonly KnownTask[] =>
  tasks.some((each) => isSameTask(each, { client, task })) ? tasks : [{ client, task }, ...tasks];

function withTask(tasks: readonly KnownTask[], { client, task }: KnownTask): readonly KnownTask[] {
  const before = tasks.find((each) => isSameTask(each, { client, task }));
  if (before === undefined) return [{ client, task }, ...tasks];
  // A list of tasks may come after their events: one that has finished stays finished.
  if (isFinished(before.task) && !isFinished(task)) return tasks;
  return tasks.map((each) => (each === before ? { client, task } : each));
}

export const isFinished = ({ status }: Task): boolean => ['completed', 'failed', 'cancelled'].includes(status);

function withoutClient(known: Known, client: string): Known {
  const isOther = (each: { readonly client: string }): boolean => each.client !== client;
  return {
    ...known,
    clients: known.clients.filter(({ id }) => id !== client),
    questions: known.questions.filter(isOther),
    tasks: known.tasks.filter(isOther),
  };
}

function replaced<T extends { readonly id: string }>(
  list: readonly T[],
  item: T,
  place: 'first' | 'last',
): readonly T[] {
  if (list.some(({ id }) => id === item.id)) return list.map((each) => (each.id === item.id ? item : each));
  return place === 'first' ? [item, ...list] : [...list, item];
}
