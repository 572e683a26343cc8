/** The tasks of one server that a client remembers, in a memory that outlives it. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { RememberedTask, TaskMemory } from '../../api/tasks.ts';

export class RememberedTasks {
  readonly #memory: TaskMemory;
  /** The address of the server, or its name; known once there is a connection. */
  readonly #server: () => string;

  constructor(memory: TaskMemory, server: () => string) {
    this.#memory = memory;
    this.#server = server;
  }

  async list(): Promise<RememberedTask[]> {
    const server = this.#server();
    return (await named(this.#memory.read())).filter((task) => task.server === server);
  }

  /** The task of an earlier call with the same key. */
  async find(key: string, params: Readonly<Fields>): Promise<string | undefined> {
    const found = (await this.list()).find(({ idempotencyKey }) => idempotencyKey === key);
    if (found !== undefined && found.digest !== digestOfCall(params)) throw keyUsed(key, found);
    return found?.taskId;
  }

  add(taskId: string, params: Readonly<Fields>, idempotencyKey: string | undefined): Promise<void> {
    return named(
      this.#memory.add({
        server: this.#server(),
        taskId,
        tool: String(params.name),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        digest: digestOfCall(params),
        storedAt: new Date().toISOString(),
      }),
    );
  }

  delete(taskId: string): Promise<void> {
    return named(this.#memory.delete({ server: this.#server(), taskId }));
  }
}

/** A memory of the user may reject with any error. */
const named = <T>(done: Promise<T>): Promise<T> =>
  done.catch((cause: unknown) => {
    if (cause instanceof TenonError) throw cause;
    throw new TenonError('store-failed', 'The memory of tasks (tasks.memory) failed.', {
      hint: 'See the cause: one of its methods threw it.',
      cause,
    });
  });

const digestOfCall = ({ name, arguments: given }: Readonly<Fields>): string => digestOf([name, given ?? {}]);

const keyUsed = (key: string, { tool, taskId }: RememberedTask): TenonError =>
  new TenonError('invalid-argument', `The idempotency key ${JSON.stringify(key)} belongs to another call.`, {
    hint: 'Use a new key for every action. client.tasks.result() has the result of the task that this key belongs to.',
    details: { place: 'idempotencyKey', tool, taskId },
  });
