/** What lowering a schema changed: one entry for each place, for people to read and programs to count. */

/**
 * For which API a schema is lowered. `any` is accepted by all that take plain JSON Schema; `openai-strict` is the strict
 * mode of OpenAI.
 */
export type SchemaTarget = 'any' | 'anthropic' | 'openai' | 'openai-strict' | 'google';

/** The rules of lowering, by which changes are counted. */
export type SchemaRule =
  | 'root-merged'
  | 'union-narrowed'
  | 'keyword-added'
  | 'keyword-described'
  | 'keyword-replaced'
  | 'keyword-removed'
  | 'reference-removed'
  | 'reference-inlined'
  | 'argument-removed'
  | 'object-closed'
  | 'argument-nullable'
  | 'not-strict'
  | 'description-cut';

/** One change of a schema for a target. */
export interface SchemaChange {
  /** The tool, in the report of a turn. */
  readonly tool?: string;
  /** The target that needs it. */
  readonly target: SchemaTarget;
  /** Where, as a JSON pointer into the schema of the server; empty for its root. */
  readonly path: string;
  /** The rule that changed it. */
  readonly rule: SchemaRule;
  /** What changed, in one sentence. */
  readonly text: string;
  /** Whether some values that the server accepts do not fit the lowered schema. */
  readonly losesValues: boolean;
}

/** Collects the changes of one schema. */
export interface Report {
  readonly target: SchemaTarget;
  readonly changes: SchemaChange[];
  add(path: string, rule: SchemaRule, text: string): void;
}

const losing: ReadonlySet<SchemaRule> = new Set(['union-narrowed', 'argument-removed', 'object-closed']);

export function createReport(target: SchemaTarget): Report {
  const changes: SchemaChange[] = [];
  return {
    target,
    changes,
    add: (path, rule, text) => changes.push({ target, path, rule, text, losesValues: losing.has(rule) }),
  };
}
