/** Counts the tasks that ran in this process and wait for input since. */
import type { ChangedTask } from './engine/task-engine.ts';

/** More are not counted. */
const maxCounted = 10_000;

export class WaitingTasks {
  readonly #ids = new Set<string>();

  get size(): number {
    return this.#ids.size;
  }

  /** `undefined` if any may have changed: then none is known to wait. */
  changed(changed: ChangedTask | undefined): void {
    if (changed === undefined) return this.#ids.clear();
    const { id, record } = changed;
    const { state } = record?.task ?? {};
    const isWaiting = state?.is === 'parked' && state.open.length > 0;
    if (!isWaiting) this.#ids.delete(id);
    else if (this.#ids.size < maxCounted) this.#ids.add(id);
  }
}
