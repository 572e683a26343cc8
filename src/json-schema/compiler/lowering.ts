/** Rewrites an analysed schema into one that typebox can run safely: no native patterns, flat references, metered work. */

import type { Analysis } from '../analysis/analysis.ts';
import { isJsonObject, type Json, type JsonObject } from '../analysis/snapshot.ts';
import { maxPatterns, refusal } from '../limits.ts';
import {
  type CompilerTools,
  type Lowered,
  lowerEach,
  metered,
  pointerOf,
  read,
  type SchemaCompiler,
} from './compiler.ts';
import { lowerCondition, lowerIsolated, withoutArrays } from './evaluation.ts';
import { lowerPatternProperties } from './pattern-properties.ts';
import { compilePattern, type Matcher } from './patterns.ts';
import { refinementsOf } from './refinements.ts';

/** The entry of the schema itself in the lowered document. */
export const rootEntry = 'e0';

/**
 * The document typebox compiles: an object schema with one property per entry. So one compilation serves the schema
 * and the parts that refinements check on their own.
 */
export interface LoweredDocument {
  readonly schema: object;
  /**
   * Makes every reference a direct link, once the schema is compiled. Compiled code no longer needs them, and typebox's
   * interpreter, which explains errors and serves where code generation is forbidden, resolves each by parsing URLs.
   */
  readonly linkReferences: () => void;
}

/** A reference by name, which becomes a link. */
interface Link {
  $ref?: string;
  allOf?: Lowered[];
}

export function lowerDocument(analysis: Analysis, tools: CompilerTools): LoweredDocument {
  const definitions = nameDefinitions(analysis);
  const links: [link: Link, name: string][] = [];
  const refer = (name: string): Lowered => {
    const link: Link = { $ref: `#/$defs/${name}` };
    links.push([link, name]);
    return link as Lowered;
  };
  const entries: Record<string, Lowered> = {};
  const addEntry = (schema: Lowered): string => {
    const name = `e${Object.keys(entries).length}`;
    entries[name] = schema;
    return name;
  };
  const lower = (schema: Json): Lowered => {
    const definition = isJsonObject(schema) ? definitions.get(schema) : undefined;
    return definition === undefined ? lowerNode(schema, compiler) : refer(definition);
  };
  const tracksEvaluation = [...analysis.pointers.keys()].some(
    (node) => Object.hasOwn(node, 'unevaluatedProperties') || Object.hasOwn(node, 'unevaluatedItems'),
  );
  const $defs: Record<string, Lowered> = {};
  const addDefinition = (schema: Lowered): Lowered => {
    const name = `s${Object.keys($defs).length}`;
    $defs[name] = schema;
    return refer(name);
  };
  const compile = countingCompiler();
  const compiler: SchemaCompiler = { ...tools, analysis, tracksEvaluation, compile, lower, addEntry, addDefinition };
  // The root comes first: `rootEntry` is its name.
  entries[rootEntry] = true;
  entries[rootEntry] = lower(analysis.root);
  for (const [node, name] of definitions) $defs[name] = metered(lowerNode(node, compiler), node, compiler);
  const linkReferences = (): void => {
    for (const [link, name] of links) {
      delete link.$ref;
      link.allOf = [$defs[name] ?? false];
    }
  };
  return {
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs, properties: entries },
    linkReferences,
  };
}

/** A short name for every schema that is referred to. */
function nameDefinitions(analysis: Analysis): Map<JsonObject, string> {
  const definitions = new Map<JsonObject, string>();
  for (const targets of analysis.references.values()) {
    for (const target of Object.values(targets)) {
      if (isJsonObject(target) && !definitions.has(target)) definitions.set(target, `d${definitions.size}`);
    }
  }
  return definitions;
}

function countingCompiler(): (pattern: string, pointer: string) => Matcher {
  let count = 0;
  return (pattern, pointer) => {
    if ((count += 1) > maxPatterns) {
      const hint = 'Make the schema smaller.';
      throw refusal(pointer, `exceeds the limit of ${maxPatterns} patterns.`, hint);
    }
    return compilePattern(pattern, pointer);
  };
}

type Carry = (value: Json, compiler: SchemaCompiler) => unknown;

const unchanged: Carry = (value) => value;
const lowerList: Carry = (list, { lower }) => (list as Json[]).map(lower);

/** How each keyword that typebox knows is carried over; the rest is left out or becomes a refinement. */
const carried: readonly (readonly [keywords: string, carry: Carry])[] = [
  ['type required dependentRequired minProperties maxProperties minItems maxItems minLength maxLength', unchanged],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', unchanged],
  ['not if', lowerCondition],
  ['allOf anyOf oneOf prefixItems', lowerList],
  ['propertyNames additionalProperties', lowerEach],
  ['contains unevaluatedItems unevaluatedProperties', lowerIsolated],
  ['properties dependentSchemas dependencies', lowerMap],
];

function lowerMap(map: Json, { lower }: SchemaCompiler): unknown {
  const members = Object.entries(map as JsonObject);
  return Object.fromEntries(members.map(([key, sub]) => [key, Array.isArray(sub) ? sub : lower(sub)]));
}

function lowerNode(schema: Json, compiler: SchemaCompiler): Lowered {
  if (!isJsonObject(schema)) return schema !== false;
  const { analysis, lower } = compiler;
  const targets = analysis.references.get(schema) ?? {};
  if (analysis.dialect === 'draft-07' && targets.$ref !== undefined) return lower(targets.$ref);

  const out: Record<string, unknown> = {};
  for (const [keywords, carry] of carried) {
    for (const keyword of keywords.split(' ')) {
      const value = read(schema, keyword, compiler);
      if (value !== undefined) out[keyword] = carry(value, compiler);
    }
  }
  lowerDependents(schema, out, compiler);
  lowerItems(schema, out, compiler);
  const refinements = [
    ...refinementsOf(schema, pointerOf(schema, compiler), compiler),
    ...lowerPatternProperties(schema, out, compiler),
  ];
  if (refinements.length > 0) out['~refine'] = refinements;
  return withoutArrays(withReferences(out, Object.values(targets).map(lower)), compiler.addDefinition);
}

/** Keywords that mean something only beside another one. */
function lowerDependents(schema: JsonObject, out: Record<string, unknown>, compiler: SchemaCompiler): void {
  const carry = (beside: string, keyword: string, lower: (value: Json) => unknown): void => {
    const value = read(schema, keyword, compiler);
    if (value !== undefined && read(schema, beside, compiler) !== undefined) out[keyword] = lower(value);
  };
  carry('if', 'then', compiler.lower);
  carry('if', 'else', compiler.lower);
  carry('contains', 'minContains', (count) => count);
  carry('contains', 'maxContains', (count) => count);
}

/** Items as 2020-12 writes them, in either dialect. */
function lowerItems(schema: JsonObject, out: Record<string, unknown>, compiler: SchemaCompiler): void {
  const items = read(schema, 'items', compiler);
  if (Array.isArray(items)) out['prefixItems'] = items.map(compiler.lower);
  const each = Array.isArray(items) ? read(schema, 'additionalItems', compiler) : items;
  if (each !== undefined) out['items'] = lowerEach(each, compiler);
}

/** References go into `allOf`, so that `$ref` and `$dynamicRef` can be used together. */
function withReferences(out: Record<string, unknown>, targets: readonly Lowered[]): Record<string, unknown> {
  if (targets.length === 0) return out;
  const all = Array.isArray(out['allOf']) ? out['allOf'] : [];
  return { ...out, allOf: [...targets, ...all] };
}
