/** What a server has said of its tools, for as long as it may be believed. */
import type { Tool } from '../protocol/generated/types/records.ts';

export interface KnownTools {
  /** Takes note of tools, and gives them back. */
  listed(tools: readonly Tool[]): readonly Tool[];
  /** Whether a tool may be called twice for all that its server says. */
  mayRepeat(name: string): boolean;
  /** The server may be another one by now. */
  forget(): void;
}

/** A server can list tools without end. */
const maxKnown = 10_000;

/** Annotations are hints: only of a server that the user trusts is one a reason to send a call again. */
export function createKnownTools(trusted: boolean): KnownTools {
  const repeatable = new Set<string>();
  return {
    listed(tools) {
      if (trusted) for (const tool of tools) note(repeatable, tool);
      return tools;
    },
    mayRepeat: (name) => repeatable.has(name),
    forget: () => repeatable.clear(),
  };
}

function note(repeatable: Set<string>, { name, annotations }: Tool): void {
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  if (!isRepeatable) repeatable.delete(name);
  else if (repeatable.size < maxKnown) repeatable.add(name);
}
