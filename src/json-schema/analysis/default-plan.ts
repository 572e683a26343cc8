/** Finds once, at definition, where in a schema defaults can be filled in. */

import type { Analysis } from './analysis.ts';
import { keywordOf } from './dialect.ts';
import { isJsonObject, type Json, type JsonObject } from './snapshot.ts';

/** The places below one schema where defaults can be filled in. */
export interface DefaultPlan {
  /** Schemas that apply to the same value. */
  readonly here: readonly Json[];
  /** Schemas of the first items, and of those after them. */
  readonly first: readonly Json[];
  readonly each: JsonObject | undefined;
  /** Properties whose members are looked into, and the schema of the properties that are not listed. */
  readonly members: readonly (readonly [key: string, schema: JsonObject])[];
  readonly listed: ReadonlySet<string>;
  readonly rest: JsonObject | undefined;
  readonly defaults: readonly { readonly key: string; readonly schema: JsonObject; readonly value: Json }[];
}

/** Plans for the schemas from which a default can be reached; the others have none. */
export function createPlans(analysis: Analysis): ReadonlyMap<JsonObject, DefaultPlan> {
  const plans = new Map([...analysis.pointers.keys()].map((node) => [node, planOf(node, analysis)]));
  const users = new Map<Json, JsonObject[]>();
  for (const [node, plan] of plans) {
    for (const next of nextSchemas(plan)) users.set(next, [...(users.get(next) ?? []), node]);
  }
  const useful = new Set([...plans].filter(([, plan]) => plan.defaults.length > 0).map(([node]) => node));
  // A set that grows while it is walked is walked to its end.
  for (const node of useful) for (const user of users.get(node) ?? []) useful.add(user);
  return new Map([...useful].map((node) => [node, prune(plans.get(node) as DefaultPlan, useful)]));
}

function nextSchemas({ here, first, each, members, rest }: DefaultPlan): Json[] {
  return [...here, ...first, ...members.map(([, sub]) => sub), ...[each, rest].filter(isJsonObject)];
}

/** The plan without parts that lead to no default. Items keep their places. */
function prune(plan: DefaultPlan, useful: ReadonlySet<Json>): DefaultPlan {
  const kept = (schema: JsonObject | undefined): JsonObject | undefined =>
    schema !== undefined && useful.has(schema) ? schema : undefined;
  const each = kept(plan.each);
  return {
    ...plan,
    here: plan.here.filter((sub) => useful.has(sub)),
    first: each !== undefined || plan.first.some((sub) => useful.has(sub)) ? plan.first : [],
    each,
    members: plan.members.filter(([, sub]) => useful.has(sub)),
    rest: kept(plan.rest),
  };
}

function planOf(node: JsonObject, analysis: Analysis): DefaultPlan {
  const { dialect, references } = analysis;
  const targets = Object.values(references.get(node) ?? {});
  const nothing = { first: [], each: undefined, members: [], listed: new Set<string>(), rest: undefined, defaults: [] };
  // In draft-07 a $ref hides the keywords beside it.
  if (dialect === 'draft-07' && targets.length > 0) return { here: targets, ...nothing };

  const read = (keyword: string): Json | undefined => keywordOf(node, keyword, dialect);
  const objectOf = (schema: Json | undefined): JsonObject | undefined => (isJsonObject(schema) ? schema : undefined);
  const listOf = (schemas: Json | undefined): readonly Json[] => (Array.isArray(schemas) ? schemas : []);
  const items = read('items');
  const members = Object.entries(objectOf(read('properties')) ?? {}).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
  return {
    here: [...targets, ...listOf(read('allOf'))],
    first: Array.isArray(items) ? items : listOf(read('prefixItems')),
    each: objectOf(Array.isArray(items) ? read('additionalItems') : items),
    members,
    listed: new Set(Object.keys(objectOf(read('properties')) ?? {})),
    rest: read('patternProperties') === undefined ? objectOf(read('additionalProperties')) : undefined,
    defaults: members.flatMap(([key, schema]) => {
      const value = defaultOf(schema, analysis);
      return value === undefined ? [] : [{ key, schema, value }];
    }),
  };
}

/** The default of a property, or of the schema that it refers to. */
function defaultOf(schema: JsonObject, analysis: Analysis): Json | undefined {
  const target = analysis.references.get(schema)?.$ref;
  const hidden = analysis.dialect === 'draft-07' && target !== undefined;
  const own = hidden ? undefined : keywordOf(schema, 'default', analysis.dialect);
  return own === undefined && isJsonObject(target) ? defaultOf(target, analysis) : own;
}
