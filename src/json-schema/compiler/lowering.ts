/** Rewrites an analysed schema into one that typebox can run safely: no native patterns, flat references, metered work. */

import type { Analysis } from '../analysis/analysis.ts';
import { isJsonObject, type Json, type JsonObject } from '../analysis/snapshot.ts';
import { refusal } from '../limits.ts';
import { type Lowered, type LoweringTools, lowerEach, metered, pointerOf, read, type Workshop } from './compiler.ts';
import { lowerApart, lowerCondition, withoutArrays } from './evaluation.ts';
import { lowerPatternProperties } from './pattern-properties.ts';
import { compilePattern, type Matcher } from './patterns.ts';
import { refinementsOf } from './refinements.ts';

/** The entry of the schema itself in the lowered document. */
export const rootEntry = 'e0';

/**
 * The document typebox compiles: an object schema with one property per entry. So one compilation serves the schema
 * and the parts that functions of ours judge on their own.
 */
export interface LoweredDocument {
  readonly schema: object;
  /**
   * Makes every reference a direct link, once the schema is compiled. Compiled code no longer needs them, and typebox's
   * interpreter, which explains errors and serves where code generation is forbidden, resolves each by parsing URLs.
   */
  readonly tie: () => void;
}

/** A reference by name, which becomes a link. */
interface Link {
  $ref?: string;
  allOf?: Lowered[];
}

export function lowerDocument(analysis: Analysis, tools: LoweringTools): LoweredDocument {
  const shelf = shelve(analysis);
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
    const shelved = isJsonObject(schema) ? shelf.get(schema) : undefined;
    return shelved === undefined ? lowerNode(schema, workshop) : refer(shelved);
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
  const compile = countingCompiler(tools);
  const workshop: Workshop = { ...tools, analysis, tracksEvaluation, compile, lower, addEntry, addDefinition };
  // The root comes first: `rootEntry` is its name.
  entries[rootEntry] = true;
  entries[rootEntry] = lower(analysis.root);
  for (const [node, name] of shelf) $defs[name] = metered(lowerNode(node, workshop), node, workshop);
  const tie = (): void => {
    for (const [link, name] of links) {
      delete link.$ref;
      link.allOf = [$defs[name] ?? false];
    }
  };
  return { schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs, properties: entries }, tie };
}

/** A short name for every schema that is referred to. */
function shelve(analysis: Analysis): Map<JsonObject, string> {
  const shelf = new Map<JsonObject, string>();
  for (const targets of analysis.references.values()) {
    for (const target of Object.values(targets)) {
      if (isJsonObject(target) && !shelf.has(target)) shelf.set(target, `d${shelf.size}`);
    }
  }
  return shelf;
}

function countingCompiler({ limits }: LoweringTools): (pattern: string, pointer: string) => Matcher {
  let count = 0;
  return (pattern, pointer) => {
    if ((count += 1) > limits.patterns) {
      const mend = 'Make the schema smaller, or raise limits.patterns.';
      throw refusal(pointer, `is past the bound of ${limits.patterns} patterns.`, mend);
    }
    return compilePattern(pattern, pointer, limits);
  };
}

type Carry = (value: Json, workshop: Workshop) => unknown;

const asItIs: Carry = (value) => value;
const lowerList: Carry = (list, { lower }) => (list as Json[]).map(lower);

/** How each keyword that typebox knows is carried over; the rest is left out or becomes a refinement. */
const carried: readonly (readonly [keywords: string, carry: Carry])[] = [
  ['type required dependentRequired minProperties maxProperties minItems maxItems minLength maxLength', asItIs],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', asItIs],
  ['not if', lowerCondition],
  ['allOf anyOf oneOf prefixItems', lowerList],
  ['propertyNames additionalProperties', lowerEach],
  ['contains unevaluatedItems unevaluatedProperties', lowerApart],
  ['properties dependentSchemas dependencies', lowerMap],
];

function lowerMap(map: Json, { lower }: Workshop): unknown {
  const members = Object.entries(map as JsonObject);
  return Object.fromEntries(members.map(([key, sub]) => [key, Array.isArray(sub) ? sub : lower(sub)]));
}

function lowerNode(schema: Json, workshop: Workshop): Lowered {
  if (!isJsonObject(schema)) return schema !== false;
  const { analysis, lower } = workshop;
  const targets = analysis.references.get(schema) ?? {};
  if (analysis.dialect === 'draft-07' && targets.$ref !== undefined) return lower(targets.$ref);

  const out: Record<string, unknown> = {};
  for (const [keywords, carry] of carried) {
    for (const keyword of keywords.split(' ')) {
      const value = read(schema, keyword, workshop);
      if (value !== undefined) out[keyword] = carry(value, workshop);
    }
  }
  lowerDependents(schema, out, workshop);
  lowerItems(schema, out, workshop);
  const refinements = [
    ...refinementsOf(schema, pointerOf(schema, workshop), workshop),
    ...lowerPatternProperties(schema, out, workshop),
  ];
  if (refinements.length > 0) out['~refine'] = refinements;
  return withoutArrays(withReferences(out, Object.values(targets).map(lower)), workshop.addDefinition);
}

/** Keywords that mean something only beside another one. */
function lowerDependents(schema: JsonObject, out: Record<string, unknown>, workshop: Workshop): void {
  const carry = (beside: string, keyword: string, lower: (value: Json) => unknown): void => {
    const value = read(schema, keyword, workshop);
    if (value !== undefined && read(schema, beside, workshop) !== undefined) out[keyword] = lower(value);
  };
  carry('if', 'then', workshop.lower);
  carry('if', 'else', workshop.lower);
  carry('contains', 'minContains', (count) => count);
  carry('contains', 'maxContains', (count) => count);
}

/** Items in the words of 2020-12, whichever dialect wrote them. */
function lowerItems(schema: JsonObject, out: Record<string, unknown>, workshop: Workshop): void {
  const items = read(schema, 'items', workshop);
  if (Array.isArray(items)) out['prefixItems'] = items.map(workshop.lower);
  const each = Array.isArray(items) ? read(schema, 'additionalItems', workshop) : items;
  if (each !== undefined) out['items'] = lowerEach(each, workshop);
}

/** References stand in the allOf, so that `$ref` and `$dynamicRef` can stand side by side. */
function withReferences(out: Record<string, unknown>, targets: readonly Lowered[]): Record<string, unknown> {
  if (targets.length === 0) return out;
  const all = Array.isArray(out['allOf']) ? out['allOf'] : [];
  return { ...out, allOf: [...targets, ...all] };
}
