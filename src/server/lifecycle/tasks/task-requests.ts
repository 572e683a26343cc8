/** Sends the open requests of tasks to clients that wait for a result, and stores their answers. */
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { Fields, InputRequest } from '../../../protocol/neutral.ts';
import type { TaskInvocation } from '../../ports/call-limits.ts';
import type { TaskEngine, TaskView } from './engine/task-engine.ts';
import { relatedTask } from './task-fields.ts';

export class TaskRequests {
  readonly #engine: TaskEngine;
  /** Requests that a client has got, so that no other wait sends them too. */
  readonly #sent = new Set<string>();

  constructor(engine: TaskEngine) {
    this.#engine = engine;
  }

  /** Resolves when those that were sent here are answered; rejects if an answer is invalid. An aborted one is not stored. */
  async send({ row, journal }: TaskView, { ports }: TaskInvocation, signal: AbortSignal): Promise<void> {
    const { send } = ports;
    if (send === undefined) return;
    const answers = Object.entries(journal.open).map(async ([key, request]) => {
      const name = `${row.id} ${key}`;
      if (this.#sent.has(name)) return;
      this.#sent.add(name);
      try {
        const answer = await send(related(request, row.id), signal).catch(failedAnswer);
        const record = await this.#engine.read(row.id, row.owner);
        if (record !== undefined && !signal.aborted) await this.#engine.answer(record, { [key]: answer });
      } finally {
        this.#sent.delete(name);
      }
    });
    await Promise.all(answers);
  }
}

const related = ({ method, params }: InputRequest, taskId: string): InputRequest => ({
  method,
  params: { ...params, _meta: { ...(params?._meta as Fields), [relatedTask]: { taskId } } },
});

/** What is stored if the client does not answer: the handler gets it as an error. */
function failedAnswer(error: unknown): Error {
  if (error instanceof RpcError) throw error;
  return error instanceof TenonError ? error : new Error('The client did not answer');
}
