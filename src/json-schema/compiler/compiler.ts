/** The context of lowering one part of a schema. */

import type { Analysis } from '../analysis/analysis.ts';
import { keywordOf } from '../analysis/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../analysis/snapshot.ts';
import { subschemasOf } from '../analysis/subschemas.ts';
import type { Budget } from '../budget.ts';
import { below } from '../limits.ts';
import type { Matcher } from './patterns.ts';
import type { Refinement } from './refinements.ts';

/** A schema as typebox reads it. */
export type Lowered = boolean | { readonly [keyword: string]: unknown };

/** Checks a value by one entry of the lowered document. */
export interface EntryValidator {
  readonly accepts: (entry: string, value: unknown) => boolean;
  /** The message of the first problem. */
  readonly firstMessage: (entry: string, value: unknown) => string;
}

export interface CompilerTools {
  readonly budget: Budget;
  /** Usable once the document is compiled, which is before the first value is checked. */
  readonly entryValidator: EntryValidator;
}

export interface SchemaCompiler extends CompilerTools {
  readonly analysis: Analysis;
  /** Whether the schema uses `unevaluatedProperties` or `unevaluatedItems`. */
  readonly tracksEvaluation: boolean;
  /** Compiles a pattern and counts it. */
  readonly compile: (pattern: string, pointer: string) => Matcher;
  /** Lowers a subschema in place. */
  readonly lower: (schema: Json) => Lowered;
  /** Adds an entry to the document and gives its name. */
  readonly addEntry: (schema: Lowered) => string;
  /** Adds a definition to the document and gives a reference to it. */
  readonly addDefinition: (schema: Lowered) => Lowered;
}

/** A keyword of `schema`, if its dialect has it. */
export function read(schema: JsonObject, keyword: string, { analysis }: SchemaCompiler): Json | undefined {
  return keywordOf(schema, keyword, analysis.dialect);
}

/** The pointer of a schema, or of one of its keywords. */
export function pointerOf(schema: JsonObject, { analysis }: SchemaCompiler, keyword?: string): string {
  const pointer = analysis.pointers.get(schema) ?? '';
  return keyword === undefined ? pointer : below(pointer, keyword);
}

/** Lowers a schema that is applied to every member of a value. */
export function lowerEach(schema: Json, compiler: SchemaCompiler): Lowered {
  return metered(compiler.lower(schema), schema, compiler);
}

/**
 * The same schema, which first spends as many steps as it has subschemas. Work can only multiply where a schema is
 * referred to or applied to every member of a value, so metering those bounds all of it.
 */
export function metered(lowered: Lowered, schema: Json, { analysis, budget }: SchemaCompiler): Lowered {
  if (typeof lowered === 'boolean' || !isJsonObject(schema)) return lowered;
  const steps = weigh(schema, analysis);
  const meter: Refinement = { check: () => (budget.spend(steps), true), error: () => '' };
  return { allOf: [{ '~refine': [meter] }, lowered] };
}

function weigh(node: JsonObject, analysis: Analysis): number {
  return subschemasOf(node, '', analysis.dialect).reduce(
    (sum, { schema, scope }) => (scope === 'definition' ? sum : sum + weigh(schema, analysis)),
    1,
  );
}
