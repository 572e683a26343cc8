/** What the rewriting of each part of a schema needs from the whole. */

import type { Analysis } from '../analysis/analysis.ts';
import { keywordOf } from '../analysis/dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../analysis/snapshot.ts';
import { subschemasOf } from '../analysis/subschemas.ts';
import type { Budget } from '../budget.ts';
import { below, type JsonSchemaLimits } from '../limits.ts';
import type { Matcher } from './patterns.ts';
import type { Refinement } from './refinements.ts';

/** A schema in typebox's own terms. */
export type Lowered = boolean | { readonly [keyword: string]: unknown };

/** Judges a value by one entry of the lowered document. */
export interface Judge {
  readonly accepts: (entry: string, value: unknown) => boolean;
  /** The first complaint of that entry. */
  readonly complaint: (entry: string, value: unknown) => string;
}

export interface LoweringTools {
  readonly limits: JsonSchemaLimits;
  readonly budget: Budget;
  /** Ready once the document is compiled, which is before the first value comes. */
  readonly judge: Judge;
}

export interface Workshop extends LoweringTools {
  readonly analysis: Analysis;
  /** Whether the schema asks which properties and items were seen. */
  readonly tracksEvaluation: boolean;
  /** Compiles a pattern and counts it. */
  readonly compile: (pattern: string, pointer: string) => Matcher;
  /** Lowers a subschema in place. */
  readonly lower: (schema: Json) => Lowered;
  /** Adds an entry to the document and gives its name. */
  readonly addEntry: (schema: Lowered) => string;
  /** Adds a schema to the shelf and gives a reference to it. */
  readonly addDefinition: (schema: Lowered) => Lowered;
}

/** A keyword of `schema`, if its dialect has it. */
export function read(schema: JsonObject, keyword: string, { analysis }: Workshop): Json | undefined {
  return keywordOf(schema, keyword, analysis.dialect);
}

/** The pointer of a schema, or of one of its keywords. */
export function pointerOf(schema: JsonObject, { analysis }: Workshop, keyword?: string): string {
  const pointer = analysis.pointers.get(schema) ?? '';
  return keyword === undefined ? pointer : below(pointer, keyword);
}

/** Lowers a schema that is applied to every member of a value. */
export function lowerEach(schema: Json, workshop: Workshop): Lowered {
  return metered(workshop.lower(schema), schema, workshop);
}

/**
 * The same schema, which first spends as many steps as it has subschemas. Work can only multiply where a schema is
 * referred to or applied to every member of a value, so metering those bounds all of it.
 */
export function metered(lowered: Lowered, schema: Json, { analysis, budget }: Workshop): Lowered {
  if (typeof lowered === 'boolean' || !isJsonObject(schema)) return lowered;
  const steps = weigh(schema, analysis);
  const meter: Refinement = { check: () => (budget.spend(steps), true), error: () => '' };
  return { allOf: [{ '~refine': [meter] }, lowered] };
}

function weigh(node: JsonObject, analysis: Analysis): number {
  return subschemasOf(node, '', analysis.dialect).reduce(
    (sum, { schema, reach }) => (reach === 'shelf' ? sum : sum + weigh(schema, analysis)),
    1,
  );
}
