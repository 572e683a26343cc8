/** The listed tools of a server: whether they run as tasks, and their annotations, if those are trusted. */
import type { Tool } from '../../protocol/generated/types/records.ts';

/** A limit, since a server can list any number of tools. */
const maxKnown = 10_000;

/** Whether a tool runs as a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** Annotations are hints: a call is sent again for them only if the user trusts the server. */
export class KnownTools {
  readonly #trusted: boolean;
  /** Created only if annotations are trusted. */
  #repeatable: Set<string> | undefined;
  /** Tools that run as tasks: few servers have any. */
  #tasks: Map<string, TaskSupport> | undefined;
  #isComplete = false;

  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** Stores the annotations of tools, and returns the tools. */
  listed(tools: readonly Tool[]): readonly Tool[] {
    for (const tool of tools) {
      if (this.#trusted) this.#note(tool);
      this.#noteTask(tool);
    }
    return tools;
  }

  /** All tools have been listed: a tool that is not known does not exist. */
  completed(): void {
    this.#isComplete = true;
  }

  /** Whether a tool runs as a task; `undefined` if it has not been listed. */
  taskSupport(name: string): TaskSupport | undefined {
    return this.#tasks?.get(name) ?? (this.#isComplete ? 'forbidden' : undefined);
  }

  /** The tools have changed. */
  outdated(): void {
    this.#tasks = undefined;
    this.#isComplete = false;
  }

  /** Whether the annotations allow calling a tool twice. */
  mayRepeat(name: string): boolean {
    return this.#repeatable?.has(name) === true;
  }

  /** The server may have been replaced. */
  forget(): void {
    this.#repeatable = undefined;
    this.outdated();
  }

  #noteTask({ name, execution }: Tool): void {
    const { taskSupport = 'forbidden' } = execution ?? {};
    if (taskSupport === 'forbidden') this.#tasks?.delete(name);
    else if ((this.#tasks?.size ?? 0) < maxKnown) {
      this.#tasks ??= new Map();
      this.#tasks.set(name, taskSupport);
    }
  }

  #note({ name, annotations }: Tool): void {
    this.#repeatable ??= new Set();
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    if (!isRepeatable) this.#repeatable.delete(name);
    else if (this.#repeatable.size < maxKnown) this.#repeatable.add(name);
  }
}
