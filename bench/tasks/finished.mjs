/** Tasks that have reached a state, and who waits for them: it may be reached before anyone knows the task. */
export class Finished {
  #reached = new Set();
  #waiting = new Map();

  add(id) {
    this.#reached.add(id);
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  of(id) {
    if (this.#reached.has(id)) return undefined;
    return new Promise((resolve) => void this.#waiting.set(id, resolve));
  }
}
