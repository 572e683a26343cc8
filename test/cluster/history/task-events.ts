/** The events of tasks in a history: what their store acknowledged, which steps ran, and what clients saw of them. */

export type TaskStateName = 'ready' | 'running' | 'parked' | 'completed' | 'failed' | 'cancelled';

/** An entry of the journal of a task: a step, an answer, an outcome; `text` is its value. */
export interface JournalEntry {
  readonly is: string;
  readonly key?: string;
  readonly text?: string;
}

/** The store acknowledged a write: the task as it is from then on, and what was added to its journal. */
export interface TaskStored {
  readonly type: 'task-stored';
  /** Its ID. */
  readonly task: string;
  readonly node: string;
  /** The principal whose task it is. */
  readonly owner: string;
  readonly state: TaskStateName;
  readonly fence: number;
  /** Of the worker that runs it. */
  readonly nonce?: string;
  /** The keys of its open questions. */
  readonly open?: readonly string[];
  readonly entries: readonly JournalEntry[];
  /** Its caller has not got it, and no key leads to it. */
  readonly isUnannounced?: true;
  /** A worker took it, and has written nothing. */
  readonly isTaken?: true;
}

/** Its deadline has passed, and a node takes it to end it: who took it before, and has written nothing, has it no more. */
export interface TaskEnding {
  readonly type: 'task-ending';
  readonly task: string;
  readonly node: string;
}

/** A step of a task begins to run. */
export interface StepRun {
  readonly type: 'step-run';
  readonly task: string;
  readonly key: string;
  readonly node: string;
  /** Unique in the history: what the step returns. */
  readonly value: string;
  /** Whether it must not run again if its first run may have had an effect. */
  readonly once?: boolean;
}

/** A client receives the ID of the task that it asked for. */
export interface TaskCreated {
  readonly type: 'task-created';
  readonly task: string;
  readonly client: string;
  readonly principal: string;
  /** What its result repeats. */
  readonly token: string;
  readonly idempotencyKey?: string;
}

/** The result of a task, as its handler wrote it. */
export interface TaskResult {
  readonly token: string;
  /** The principal that the handler saw. */
  readonly owner: string;
  /** What its steps returned, by key. */
  readonly steps: Readonly<Record<string, string>>;
  /** What was answered, by question. */
  readonly answers: Readonly<Record<string, string>>;
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A client reads a task. */
export interface TaskRead {
  readonly type: 'task-read';
  readonly task: string;
  readonly client: string;
  readonly principal: string;
  /** How many events the history had when the request was sent. */
  readonly since: number;
  /** `unknown`: the server has no such task. */
  readonly status: TaskStatus | 'unknown';
  /** The result or the error as text, where the response has it. */
  readonly outcome?: string;
  /** The result of a handler, where the response has one. */
  readonly result?: TaskResult;
  /** The keys of open questions, where the response has them. */
  readonly open?: readonly string[];
}

/** A client receives a question of a task. */
export interface TaskQuestion {
  readonly type: 'task-question';
  readonly task: string;
  readonly client: string;
  readonly principal: string;
  /** The key of the question in its handler. */
  readonly question: string;
  /** The principal that the handler saw. */
  readonly owner: string;
}

/** A client answers a question of a task. */
export interface TaskAnswered {
  readonly type: 'task-answered';
  readonly task: string;
  readonly client: string;
  readonly question: string;
  /** Unique in the history. */
  readonly answer: string;
  /** Under which key the server asked it, if the server acknowledged the answer. */
  readonly acknowledged?: string;
}

/** The server acknowledged that a client cancels a task. */
export interface TaskCancelled {
  readonly type: 'task-cancelled';
  readonly task: string;
  readonly client: string;
}

/** A client lists all tasks of its principal. */
export interface TasksListed {
  readonly type: 'tasks-listed';
  readonly client: string;
  readonly principal: string;
  /** How many events the history had when the first request was sent. */
  readonly since: number;
  readonly tasks: readonly string[];
}

export type TaskHistoryEvent =
  | TaskStored
  | TaskEnding
  | StepRun
  | TaskCreated
  | TaskRead
  | TaskQuestion
  | TaskAnswered
  | TaskCancelled
  | TasksListed;
