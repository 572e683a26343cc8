/** A task, and how each event changes it: one function for every store. */
import type { JournalRoom } from '../../../../store/task-store.ts';

/** Who runs a task. A worker that was declared dead and returns has another nonce than its successor. */
export interface Lease {
  readonly node: string;
  readonly nonce: string;
}

export type TaskState =
  /** Waits for a worker. */
  | { readonly is: 'ready'; readonly open?: readonly string[] }
  /** A worker runs it, until its lease lapses. It may not know answers that arrived meanwhile. */
  | {
      readonly is: 'running';
      readonly lease: Lease;
      /** Requests of earlier runs that have no answer yet. */
      readonly open?: readonly string[];
      readonly answered?: readonly string[];
    }
  /** Waits for answers to these input requests, or for a moment; no worker is busy with it. */
  | { readonly is: 'parked'; readonly open: readonly string[]; readonly wakeAt?: number }
  | { readonly is: 'completed' }
  | { readonly is: 'failed' }
  | { readonly is: 'cancelled' };

/** The row of a task. Arguments, steps, answers and the outcome are in its journal. */
export interface Task {
  readonly state: TaskState;
  /** Increases when another worker may write, or when no worker may. */
  readonly fence: number;
  /** Runs that have begun, except those after a park or a drain. */
  readonly attempts: number;
  /** Runs whose worker was lost. */
  readonly crashes: number;
  /** Set from a run whose worker was lost until one ends, or stores a step: it may be what its worker was lost by. */
  readonly suspect?: Suspicion;
  /** When its first run began, on the clock of the store. */
  readonly startedAt?: number;
  /** How long its result is stored after its creation, as its creator wants it. */
  readonly ttlMs: number;
  /** How often a client should ask how far it is. */
  readonly pollIntervalMs: number;
  readonly progress?: TaskProgress;
  /** Counts its changes: of two hints about a task, this says which is newer. */
  readonly changes?: number;
  /** When it last began to wait for input. */
  readonly parkedAt?: number;
  /**
   * Set until the caller of its first run has got its ID, unless an idempotency key leads to it: no client would ask for
   * what another run does, so there is none.
   */
  readonly isUnannounced?: true;
  /** What its creator called it. */
  readonly description?: string;
  /** The tool that it calls. It is in the journal, too, beside arguments that may be long. */
  readonly tool?: string;
  /** The client that is notified of it. */
  readonly creator?: TaskCreator;
  /** Why it failed, or is tried again. */
  readonly message?: string;
  /** Whether its result is an error that the tool reports. */
  readonly isToolError?: true;
}

/** A worker runs one suspect at a time, so that it is known which one it was lost with. */
export interface Suspicion {
  /** Workers that were lost while they ran it as their suspect. */
  readonly crashes: number;
  /** Whether a worker runs it as its suspect. */
  readonly isRunning?: true;
}

/** The session that created a task, and the token of its call, if it wants progress. */
export interface TaskCreator {
  readonly session: string;
  readonly progressToken?: string | number;
}

export interface TaskProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** From the worker that runs a task. */
interface OwnEvent {
  readonly lease: Lease;
  /** Whether the caller has got the ID of the task by now. */
  readonly isAnnounced?: true;
}

export type TaskEvent =
  /** From its worker: it is still running, maybe with progress, or with a step in its journal. */
  | (OwnEvent & { readonly type: 'beat'; readonly progress?: TaskProgress; readonly hasStep?: true })
  /** From its worker: it begins to run as the only suspect of this worker. */
  | (OwnEvent & { readonly type: 'suspect' })
  /** From its worker: it waits for answers, or until a time on the clock of the store. */
  | (OwnEvent & { readonly type: 'park'; readonly open: readonly string[]; readonly wakeAt?: number })
  /** From its worker: it failed and is tried again; a drained run does not count. */
  | (OwnEvent & {
      readonly type: 'retry';
      readonly afterMs: number;
      readonly counts: boolean;
      readonly message?: string;
    })
  /** From its worker: it has finished. */
  | (OwnEvent & {
      readonly type: 'finish';
      readonly state: 'completed' | 'failed';
      readonly message?: string;
      readonly isToolError?: true;
    })
  | { readonly type: 'answer'; readonly keys: readonly string[] }
  | { readonly type: 'cancel' }
  /** Its deadline has passed. */
  | { readonly type: 'expire'; readonly message: string };

export interface TaskRules {
  readonly leaseMs: number;
  /** A task that its workers are lost with more often while it is their suspect fails. */
  readonly maxCrashes: number;
  /** How long the outcome is stored at least. */
  readonly retentionMs: number;
  /** How much is stored of the journals of tasks that are over. */
  readonly journals?: JournalRoom;
}

/** The task after an event, and when a worker may take it, or its store delete it. */
export interface Changed {
  readonly task: Task;
  readonly claimInMs: number | undefined;
  readonly endsInMs?: number;
}

/** Why an event has no effect: the worker no longer holds the task, the task is over, or the event does not fit its state. */
export type Refusal = 'lease-lost' | 'over' | 'not-now';

export const isOver = ({ state: { is } }: Task): boolean => is === 'completed' || is === 'failed' || is === 'cancelled';

/** The requests of a task that can be answered, by the keys of the client. */
export const openOf = ({ state }: Task): readonly string[] => ('open' in state ? (state.open ?? []) : []);

/** On the clock of the store. */
export interface TaskTimes {
  readonly createdAt: number;
  readonly now: number;
}

export function changeTask(task: Task, event: TaskEvent, rules: TaskRules, times: TaskTimes): Changed | Refusal {
  const changed = afterEvent(task, event, rules, times);
  if (typeof changed === 'string') return changed;
  return { ...changed, task: { ...changed.task, changes: (task.changes ?? 0) + 1 } };
}

function afterEvent(task: Task, event: TaskEvent, rules: TaskRules, times: TaskTimes): Changed | Refusal {
  if (isOver(task)) return 'lease' in event ? 'lease-lost' : 'over';
  switch (event.type) {
    case 'cancel':
      return finished(task, 'cancelled', undefined, rules, times);
    case 'expire':
      return finished(task, 'failed', event.message, rules, times);
    case 'answer':
      return answer(task, event.keys, rules, times);
  }
  const { state } = task;
  if (state.is !== 'running' || state.lease.nonce !== event.lease.nonce) return 'lease-lost';
  return afterOwnEvent(event.isAnnounced ? announced(task) : task, state, event, rules, times);
}

function announced(task: Task): Task {
  const { isUnannounced: _, ...rest } = task;
  return rest;
}

/** Its worker has outlived it so far. */
function cleared(task: Task): Task {
  const { suspect: _, ...rest } = task;
  return rest;
}

function afterOwnEvent(
  task: Task,
  state: Extract<TaskState, { is: 'running' }>,
  event: Extract<TaskEvent, OwnEvent>,
  rules: TaskRules,
  times: TaskTimes,
): Changed {
  switch (event.type) {
    case 'beat': {
      const beaten = event.hasStep ? cleared(task) : task;
      return { task: event.progress ? { ...beaten, progress: event.progress } : beaten, claimInMs: rules.leaseMs };
    }
    case 'suspect':
      return {
        task: { ...task, suspect: { crashes: task.suspect?.crashes ?? 0, isRunning: true } },
        claimInMs: rules.leaseMs,
      };
    case 'park':
      return park(
        event.open.length > 0 ? { ...cleared(task), parkedAt: times.now } : cleared(task),
        event.open,
        event.wakeAt,
        state.answered,
        times,
      );
    case 'retry':
      return retry(task, event);
    case 'finish':
      return finished(
        event.isToolError ? { ...task, isToolError: true } : task,
        event.state,
        event.message,
        rules,
        times,
      );
  }
}

/**
 * The task after workers have taken it: one that was ready, had waited long enough, or whose worker was lost. All but the
 * last of them were lost; of a suspect only one that had begun to run it counts.
 */
export function takenTask(
  task: Task,
  lease: Lease,
  { count, at }: { readonly count: number; readonly at: number },
): Task {
  const { state } = task;
  const { message: _, suspect, ...rest } = task;
  const isLost = state.is === 'running' || count > 1;
  return {
    ...rest,
    ...((isLost || suspect) && { suspect: { crashes: (suspect?.crashes ?? 0) + (suspect?.isRunning ? 1 : 0) } }),
    state: { is: 'running', lease, ...stillOpen(task) },
    fence: task.fence + count,
    // A run after a park is the same attempt.
    attempts: task.attempts + (state.is === 'ready' ? 1 : 0),
    crashes: task.crashes + count - (state.is === 'running' ? 0 : 1),
    startedAt: task.startedAt ?? at,
    changes: (task.changes ?? 0) + count,
  };
}

const stillOpen = (task: Task): { readonly open?: readonly string[] } => {
  const open = openOf(task);
  return open.length === 0 ? {} : { open };
};

function retry(task: Task, { afterMs, counts, message }: Extract<TaskEvent, { type: 'retry' }>): Changed {
  const attempts = task.attempts - (counts ? 0 : 1);
  const withMessage = message === undefined ? {} : { message };
  // A run that has failed has not killed its worker; one that was handed over may still.
  const left = counts
    ? cleared(task)
    : { ...task, ...(task.suspect && { suspect: { crashes: task.suspect.crashes } }) };
  return {
    task: { ...left, state: { is: 'ready', ...stillOpen(task) }, attempts, ...withMessage },
    claimInMs: afterMs,
  };
}

/** Answers that arrived while the task ran let it continue at once. */
function park(
  task: Task,
  open: readonly string[],
  wakeAt: number | undefined,
  answered: readonly string[] = [],
  times: TaskTimes,
): Changed {
  const left = open.filter((key) => !answered.includes(key));
  return parked(task, left, left.length < open.length ? times.now : wakeAt, times);
}

/** Still parked when all answers are there, so that the next run counts as the same attempt. */
function parked(task: Task, open: readonly string[], wakeAt: number | undefined, { now }: TaskTimes): Changed {
  const state: TaskState = { is: 'parked', open, ...(wakeAt === undefined ? {} : { wakeAt }) };
  const wakeInMs = wakeAt === undefined ? undefined : Math.max(wakeAt - now, 0);
  return { task: { ...task, state }, claimInMs: wakeInMs };
}

function answer(task: Task, keys: readonly string[], { leaseMs }: TaskRules, times: TaskTimes): Changed | Refusal {
  const { state } = task;
  const before = openOf(task);
  const open = before.filter((key) => !keys.includes(key));
  if (open.length === before.length) return 'not-now';
  // With the last answer it can go on, whatever else it waits for: the next run finds out.
  if (state.is === 'parked') return parked(task, open, open.length === 0 ? times.now : state.wakeAt, times);
  if (state.is !== 'running') return { task: { ...task, state: { is: 'ready', open } }, claimInMs: 0 };
  const answered = [...(state.answered ?? []), ...before.filter((key) => keys.includes(key))];
  return { task: { ...task, state: { ...state, open, answered } }, claimInMs: leaseMs };
}

function finished(
  task: Task,
  is: 'completed' | 'failed' | 'cancelled',
  message: string | undefined,
  { retentionMs }: TaskRules,
  { createdAt, now }: TaskTimes,
): Changed {
  const { message: _, ...rest } = cleared(task);
  return {
    task: { ...rest, state: { is }, fence: task.fence + 1, ...(message === undefined ? {} : { message }) },
    claimInMs: undefined,
    endsInMs: Math.max(createdAt + task.ttlMs - now, retentionMs),
  };
}
