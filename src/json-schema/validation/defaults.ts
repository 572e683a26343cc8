/** Fills in the defaults of missing properties, in a copy; the argument is never changed. */

import type { Analysis } from '../analysis/analysis.ts';
import { createPlans, type DefaultPlan } from '../analysis/default-plan.ts';
import type { Json, JsonObject } from '../analysis/snapshot.ts';
import type { Budget } from '../budget.ts';

/** Gives the value with its defaults, or the value itself where none was missing. */
export type Filler = (value: unknown) => unknown;

/** The cost of cloning a default, in steps. */
const cloneSteps = 50;

/**
 * A filler for the schema. It follows keywords that always apply (`properties`, `items`, `prefixItems`,
 * `additionalProperties`, `allOf`, references), never those that may not (`anyOf`, `oneOf`, `if`, `not`,
 * `dependentSchemas`).
 */
export function createFiller(analysis: Analysis, budget: Budget): Filler {
  const plans = createPlans(analysis);

  // `inserting` holds the schemas whose default is being filled in turn: a default that leads to itself stops there.
  const fill = (schema: Json | undefined, value: unknown, inserting: readonly JsonObject[]): unknown => {
    const plan = plans.get(schema as JsonObject);
    if (plan === undefined || typeof value !== 'object' || value === null) return value;
    budget.spend(1);
    const filled = plan.here.reduce<unknown>((value, sub) => fill(sub, value, inserting), value);
    return Array.isArray(filled)
      ? fillItems(plan, filled, inserting)
      : fillMembers(plan, filled as Record<string, unknown>, inserting);
  };

  const fillItems = ({ first, each }: DefaultPlan, list: unknown[], inserting: readonly JsonObject[]): unknown[] => {
    if (first.length === 0 && each === undefined) return list;
    let copy: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const filled = fill(index < first.length ? first[index] : each, item, inserting);
      if (filled === item) continue;
      copy ??= [...list];
      copy[index] = filled;
    }
    return copy ?? list;
  };

  const fillMembers = (
    plan: DefaultPlan,
    value: Record<string, unknown>,
    inserting: readonly JsonObject[],
  ): unknown => {
    let copy: Record<string, unknown> | undefined;
    const put = (key: string, member: unknown): void => {
      copy ??= { ...value };
      // An assignment to __proto__ would set the prototype.
      if (key !== '__proto__') copy[key] = member;
      else Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true });
    };
    const descend = (key: string, sub: JsonObject): void => {
      const filled = fill(sub, value[key], inserting);
      if (filled !== value[key]) put(key, filled);
    };
    for (const [key, sub] of plan.members) if (Object.hasOwn(value, key)) descend(key, sub);
    if (plan.rest !== undefined) {
      for (const key of Object.keys(value)) if (!plan.listed.has(key)) descend(key, plan.rest);
    }
    for (const { key, schema, value: suggested } of plan.defaults) {
      const present = Object.hasOwn(value, key) && value[key] !== undefined;
      if (present || inserting.includes(schema)) continue;
      budget.spend(cloneSteps);
      const isPlain = typeof suggested !== 'object' || suggested === null;
      put(key, isPlain ? suggested : fill(schema, structuredClone(suggested), [...inserting, schema]));
    }
    return copy ?? value;
  };

  return (value) => fill(analysis.root, value, []);
}
