/** Annotations of a server's tools, if they are trusted. */
import type { Tool } from '../../protocol/generated/types/records.ts';

/** A limit, since a server can list any number of tools. */
const maxKnown = 10_000;

/** Annotations are hints: a call is sent again for them only if the user trusts the server. */
export class KnownTools {
  readonly #trusted: boolean;
  /** Created only if annotations are trusted. */
  #repeatable: Set<string> | undefined;

  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** Stores the annotations of tools, and returns the tools. */
  listed(tools: readonly Tool[]): readonly Tool[] {
    if (this.#trusted) for (const tool of tools) this.#note(tool);
    return tools;
  }

  /** Whether the annotations allow calling a tool twice. */
  mayRepeat(name: string): boolean {
    return this.#repeatable?.has(name) === true;
  }

  /** The server may have been replaced. */
  forget(): void {
    this.#repeatable = undefined;
  }

  #note({ name, annotations }: Tool): void {
    this.#repeatable ??= new Set();
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    if (!isRepeatable) this.#repeatable.delete(name);
    else if (this.#repeatable.size < maxKnown) this.#repeatable.add(name);
  }
}
