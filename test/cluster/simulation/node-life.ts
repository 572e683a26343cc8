/** Whether a simulated node is alive: a killed one has no effect any more, and a paused one waits. */
import { never } from './virtual-time.ts';

export class NodeLife {
  readonly name: string;
  isAlive = true;
  readonly #onKilled = new Set<() => void>();
  #paused: Promise<void> | undefined;
  #resume: (() => void) | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Calls back when the node is killed; returns a function that removes the callback. */
  onKilled(callback: () => void): () => void {
    this.#onKilled.add(callback);
    return () => this.#onKilled.delete(callback);
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const callback of this.#onKilled) callback();
    this.#onKilled.clear();
  }

  get isPaused(): boolean {
    return this.#paused !== undefined;
  }

  /** As if the process stood still: what it sends and receives waits. */
  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#paused = undefined;
    this.#resume?.();
  }

  /** Continues when the node runs; never, if it was killed. */
  async running(): Promise<void> {
    while (this.isAlive && this.#paused !== undefined) await this.#paused;
    if (!this.isAlive) await never();
  }
}
