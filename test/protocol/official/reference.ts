/** What our checkers of one revision are compared with: official validators of its messages. */
import type { Difference } from './differences.ts';
import type { JsonSchema } from './specification.ts';

export interface Subject {
  /** Such as `client tools/call result`. */
  readonly name: string;
  /** The schema that valid values are generated from. */
  readonly schema: JsonSchema;
  ours(value: unknown): boolean;
  official(value: unknown): boolean;
}

export interface Reference {
  readonly revision: string;
  readonly subjects: readonly Subject[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Resolves a reference to a definition; returns any other schema as it is. */
  resolve(schema: JsonSchema): JsonSchema;
  /** The intended differences. Nothing else may differ. */
  readonly differences: readonly Difference[];
}
