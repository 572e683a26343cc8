/** Sends the open requests of tasks to clients that wait for a result, and stores their answers. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { InputRequest } from '../../../protocol/neutral.ts';
import { withRelatedTask } from '../../../protocol/tasks/related-task.ts';
import type { TaskClient, TaskInvocation } from '../../ports/call-limits.ts';
import type { TaskMemory } from '../../ports/link.ts';
import { unanswered } from '../../server-requests/request-errors.ts';
import { openOf } from './engine/task.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';

/** Deadlines are enforced at the next sweep. */
const afterDeadlineMs = 60_000;

export class TaskRequests {
  readonly #engine: TaskEngine;
  /**
   * Requests that were sent to a session, so that no other wait of the session sends them too. Another session sends
   * them again: a crashed client reconnects there.
   */
  readonly #sent = new Set<string>();
  readonly #clientTasks = new ClientTaskIds();

  constructor(engine: TaskEngine) {
    this.#engine = engine;
  }

  /** Whether a session has open requests of a task still to get. */
  hasUnsent({ row, task }: TaskRecord, { ports }: TaskInvocation): boolean {
    if (ports.send === undefined) return false;
    return openOf(task).some((key) => !this.#sent.has(sentName(row.id, key, ports.sessionKey)));
  }

  /** Resolves when those that were sent here are answered; rejects if an answer is invalid. An aborted one is not stored. */
  async send({ row, journal }: TaskView, { ports }: TaskInvocation, signal: AbortSignal): Promise<void> {
    const { send, sessionKey } = ports;
    if (send === undefined) return;
    const answers = Object.entries(journal.open).map(async ([key, request]) => {
      const asked = `${row.id} ${key}`;
      const name = sentName(row.id, key, sessionKey);
      if (this.#sent.has(name)) return;
      this.#sent.add(name);
      try {
        // The user has as much time as the task, where the client runs the request as one.
        // Longer than the deadline of the task, so that this ends it and not the lack of an answer.
        const task = request.task ?? { ttlMs: Math.max(row.endsAt - row.now, 0) + afterDeadlineMs };
        // Shared by all sessions: a client that reconnected still has its task.
        const memory = this.#clientTasks.memoryOf(asked);
        const answer = await send({ ...related(request, row.id), task }, signal, undefined, memory).catch(failedAnswer);
        const record = await this.#engine.read(row.id, row.owner);
        if (record === undefined || signal.aborted) return;
        await this.#engine.answer(record, { [key]: answer });
        this.#clientTasks.forget(asked);
      } finally {
        this.#sent.delete(name);
      }
    });
    await Promise.all(answers);
  }

  /** The same for a client that has not asked for the result: what another of its sessions has got is sent again. */
  async sendTo({ sent, signal, send }: TaskClient, { row, journal }: TaskView): Promise<void> {
    const open = Object.entries(journal.open).filter(([key]) => !sent.has(key));
    const answers = open.map(async ([key, request]) => {
      sent.add(key);
      const answer = await send(related(request, row.id), signal).catch(answerOfClient);
      const record = await this.#engine.read(row.id, row.owner);
      if (record !== undefined && answer !== undefined) await this.#engine.answer(record, { [key]: answer });
    });
    await Promise.all(answers);
  }
}

const sentName = (taskId: string, key: string, sessionKey = ''): string => `${taskId} ${key} ${sessionKey}`;

const related = ({ method, params }: InputRequest, taskId: string): InputRequest => ({
  method,
  params: withRelatedTask(params, taskId),
});

/** The error that is stored for a request without an answer. The handler gets it. */
function failedAnswer(error: unknown): Error {
  if (error instanceof RpcError) throw error;
  return error instanceof TenonError ? error : new Error('The client did not answer');
}

/** An error that the client has answered with. Without an answer the request stays open for another session. */
const answerOfClient = (error: unknown): Error | undefined =>
  error instanceof RpcError || (error instanceof TenonError && error.code === 'invalid-result')
    ? failedAnswer(unanswered(error))
    : undefined;

/**
 * Tasks of clients that are remembered for tasks of the server.
 * @limit server
 * @beyond the oldest is forgotten, its request is sent again
 */
const maxRemembered = 1000;

class ClientTaskIds {
  readonly #ids = new Map<string, string>();

  /** `name` is that of the request. */
  memoryOf(name: string): TaskMemory {
    return {
      taskId: this.#ids.get(name),
      onTask: (taskId) => {
        this.#ids.delete(name);
        this.#ids.set(name, taskId);
        if (this.#ids.size > maxRemembered) this.#ids.delete(this.#ids.keys().next().value as string);
      },
    };
  }

  forget(name: string): void {
    this.#ids.delete(name);
  }
}
