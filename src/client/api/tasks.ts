/** A task as a client sees it, and where a client remembers its tasks. */
import type { InputRequest } from '../../protocol/neutral.ts';

/** A task of the server: a call that outlives its request. */
export interface Task {
  /** The ID by which the server knows it. */
  readonly taskId: string;
  /** Where it stands. `completed`, `failed` and `cancelled` are final. */
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** What the task does now, or why it failed, for users. */
  readonly statusMessage?: string;
  /** When it was created, in ISO 8601. */
  readonly createdAt: string;
  /** When it last changed, in ISO 8601. */
  readonly lastUpdatedAt: string;
  /** How long the server stores it, in milliseconds from its creation; `null` without limit. */
  readonly ttlMs: number | null;
  /** How often a client should ask, in milliseconds. */
  readonly pollIntervalMs?: number;
  /** What the task requires, by key, where the protocol version shows it; `tasks.answer` answers it. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
}

/** How a call asks for a task. */
export interface TaskRequestOptions {
  /** How long the server should store the task, where the client decides that. The server may choose another time. */
  readonly ttlMs?: number;
}

/** A task that a client has started and whose result it has not had yet. */
export interface RememberedTask {
  /** The address of the server, or its name. */
  readonly server: string;
  /** The ID of the task. */
  readonly taskId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The key of the call, if it had one. */
  readonly idempotencyKey?: string;
  /** Recognizes the arguments of the call. */
  readonly digest: string;
  /** When it was stored, in ISO 8601. */
  readonly storedAt: string;
}

/** Where a client remembers its tasks, so that it finds them after a restart: `taskFile`, or your own. */
export interface TaskMemory {
  /** All tasks that are remembered, of all servers. */
  read(): Promise<readonly RememberedTask[]>;
  /** Stores a task. It must be stored when this resolves. */
  add(task: RememberedTask): Promise<void>;
  /** Forgets a task. */
  delete(task: Pick<RememberedTask, 'server' | 'taskId'>): Promise<void>;
}

/**
 * Options of a client for tasks.
 * @area client
 */
export interface TasksOptions {
  /**
   * Where the client remembers its tasks.
   * @default off, it forgets them when it ends
   * @rule taskMemory
   */
  readonly memory?: TaskMemory;
}
