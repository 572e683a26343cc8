/** Which task a client has started for a request of a task: a connection that is lost does not ask the user twice. */
import type { TaskMemory } from '../../ports/link.ts';

/** How many are remembered; beyond that the oldest are forgotten, and their requests are sent again. */
const maxRemembered = 1000;

export class ClientTaskIds {
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
