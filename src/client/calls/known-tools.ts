/** Annotations of a server's tools, where they are trusted. */
import type { Tool } from '../../protocol/generated/types/records.ts';

/** A server can list tools without end. */
const maxKnown = 10_000;

/** Annotations are hints: only of a server that the user trusts is one a reason to send a call again. */
export class KnownTools {
  readonly #trusted: boolean;
  /** Made for those who trust: most do not. */
  #repeatable: Set<string> | undefined;

  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** Takes note of tools, and gives them back. */
  listed(tools: readonly Tool[]): readonly Tool[] {
    if (this.#trusted) for (const tool of tools) this.#note(tool);
    return tools;
  }

  /** Whether the annotations allow calling a tool twice. */
  mayRepeat(name: string): boolean {
    return this.#repeatable?.has(name) === true;
  }

  /** The server may be another one by now. */
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
