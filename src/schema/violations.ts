/** Counts the violations of a JSON Schema in a large value, up to a bound, before a schema library makes an issue of each. */

import type { Issue } from './issues.ts';
import { problemOf } from './scalar-problems.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown, tally: Tally) => void;

/** What a value violates: how often, and the first of it. `undefined` where that takes too many steps. */
export type CountViolations = (
  value: unknown,
  most: number,
) => { readonly count: number; readonly first: readonly Issue[] } | undefined;

/** The count of one value. Alternatives count apart, each up to `most`. */
interface Tally {
  count: number;
  steps: number;
  /** Over 0 inside of alternatives: they are counted, and the value itself is the issue. */
  silent: number;
  readonly most: number;
  readonly path: PropertyKey[];
  readonly first: Issue[];
  /** What was counted inside of alternatives. Without it, alternatives in alternatives take exponential time. */
  readonly known: Map<Check, Map<object, number>>;
}

const maxFirst = 8;
const maxSteps = 5_000_000;

/** Keywords that apply schemas in ways which are not counted here; which names match a pattern depends on its flags. */
const uncounted = [
  '$dynamicRef',
  '$recursiveRef',
  'dependencies',
  'dependentSchemas',
  'if',
  'patternProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;

class Uncountable extends Error {}

/**
 * Compiles a counter for a JSON Schema; `undefined` if it has a keyword that cannot be counted. It counts what a schema
 * library would report as well, and nothing else: what JSON Schema leaves out (the flags of a pattern, how a library
 * counts characters, that it trims a text first) is decided in favour of the value.
 */
export function compileCounter(schema: Fields): CountViolations | undefined {
  let check: Check;
  try {
    check = new Compiler(schema).compiled(schema);
  } catch (error) {
    if (error instanceof Uncountable || error instanceof RangeError) return undefined;
    throw error;
  }
  return (value, most) => {
    const tally: Tally = { count: 0, steps: 0, silent: 0, most, path: [], first: [], known: new Map() };
    try {
      check(value, tally);
      return tally;
    } catch (error) {
      // A RangeError is a stack overflow: the schema refers to itself without a value between.
      if (error instanceof Uncountable || error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

class Compiler {
  readonly #root: Fields;
  readonly #checks = new Map<Fields, Check>();

  constructor(root: Fields) {
    this.#root = root;
  }

  compiled(schema: unknown, isPartial = false): Check {
    if (schema === false) return (_value, tally) => report(tally, 'is not allowed here');
    if (!isFields(schema)) return () => {};
    const known = isPartial ? undefined : this.#checks.get(schema);
    if (known !== undefined) return known;
    let checks: readonly Check[] = [];
    const run: Check = (value, tally) => {
      if (++tally.steps > maxSteps) throw new Uncountable();
      for (const each of checks) if (tally.count <= tally.most) each(value, tally);
    };
    const check: Check = (value, tally) => {
      if (tally.silent === 0 || typeof value !== 'object' || value === null) run(value, tally);
      else countOnce(run, value, tally);
    };
    // Known before its parts are compiled: they may refer to it.
    if (!isPartial) this.#checks.set(schema, check);
    checks = this.#partsOf(schema, isPartial);
    return check;
  }

  /** `isPartial` for a part of `allOf`: properties that it does not know may be known to another part. */
  #partsOf(schema: Fields, isPartial: boolean): readonly Check[] {
    if (uncounted.some((keyword) => schema[keyword] !== undefined)) throw new Uncountable();
    const { $ref, allOf, anyOf, oneOf } = schema;
    const checks = [ownCheck(schema), this.#listCheck(schema), this.#objectCheck(schema, isPartial)];
    if ($ref !== undefined) checks.push(this.compiled(resolved(this.#root, $ref), isPartial));
    for (const part of listOf(allOf)) checks.push(this.compiled(part, true));
    for (const choices of [anyOf, oneOf])
      if (Array.isArray(choices)) checks.push(choiceCheck(choices.map((each) => this.compiled(each, isPartial))));
    return checks.filter((check) => check !== undefined);
  }

  #listCheck({ items, prefixItems }: Fields): Check | undefined {
    if (items === undefined && prefixItems === undefined) return undefined;
    const first = [...listOf(prefixItems), ...listOf(items)].map((each) => this.compiled(each));
    // A list has no missing item, so a default of its items replaces wrong ones.
    const rest = Array.isArray(items) || acceptsAny(items) || hasDefault(items) ? undefined : this.compiled(items);
    return (value, tally) => {
      if (!Array.isArray(value)) return;
      for (let n = 0; n < value.length && tally.count <= tally.most; n++) {
        const check = first[n] ?? rest;
        if (check !== undefined) inside(tally, n, check, value[n]);
      }
    };
  }

  #objectCheck(schema: Fields, isPartial: boolean): Check | undefined {
    const own = isFields(schema.properties) ? schema.properties : {};
    const isRequired = new Set(listOf(schema.required));
    const properties = new Map<string, Check>();
    for (const [name, each] of Object.entries(own))
      properties.set(name, isFallback(each, isRequired.has(name)) ? () => {} : this.compiled(each));
    const required = [...isRequired].filter((name) => !hasDefault(own[name as string])) as string[];
    const { additionalProperties, propertyNames } = schema;
    const others =
      acceptsAny(additionalProperties) ||
      hasDefault(additionalProperties) ||
      (additionalProperties === false && isPartial)
        ? undefined
        : this.compiled(additionalProperties);
    const names = acceptsAny(propertyNames) ? undefined : this.compiled(propertyNames);
    if (properties.size + required.length === 0 && !others && !names) return undefined;

    const checkProperty = (name: string, value: unknown, tally: Tally): void => {
      if (names !== undefined) inside(tally, name, names, name);
      const check = properties.get(name) ?? others;
      if (check !== undefined) inside(tally, name, check, value);
    };
    return (value, tally) => {
      if (!isFields(value)) return;
      for (const name of required) if (!Object.hasOwn(value, name)) report(tally, 'is required', name);
      for (const name in value) {
        if (tally.count > tally.most) return;
        checkProperty(name, value[name], tally);
      }
    };
  }
}

function report(tally: Tally, message: string, key?: PropertyKey): void {
  tally.count++;
  if (tally.silent > 0 || tally.first.length === maxFirst) return;
  tally.first.push({ path: key === undefined ? [...tally.path] : [...tally.path, key], message });
}

function inside(tally: Tally, key: PropertyKey, check: Check, value: unknown): void {
  tally.path.push(key);
  check(value, tally);
  tally.path.pop();
}

function ownCheck(schema: Fields): Check | undefined {
  const problem = problemOf(schema);
  if (problem === undefined) return undefined;
  return (value, tally) => {
    const found = problem(value);
    if (found !== undefined) report(tally, found);
  };
}

function countOnce(check: Check, value: object, tally: Tally): void {
  const counts = tally.known.get(check) ?? new Map<object, number>();
  tally.known.set(check, counts);
  const known = counts.get(value);
  if (known !== undefined) return void (tally.count += known);
  const before = tally.count;
  check(value, tally);
  // Beyond the bound nothing is checked. What went beyond it here has at least this count.
  if (before <= tally.most) counts.set(value, tally.count - before);
}

/** Libraries report what is wrong with each alternative, so all of it counts; and nothing if one of them accepts. */
function choiceCheck(choices: readonly Check[]): Check {
  return (value, tally) => {
    const before = tally.count;
    let sum = 0;
    tally.silent++;
    for (const choice of choices) {
      tally.count = 0;
      choice(value, tally);
      sum += tally.count;
      if (tally.count === 0) {
        sum = 0;
        break;
      }
    }
    tally.silent--;
    tally.count = before;
    if (sum === 0) return;
    report(tally, 'matches none of the alternatives');
    tally.count += sum - 1;
  };
}

/** The schema that a local reference names. */
function resolved(root: Fields, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) throw new Uncountable();
  let found: unknown = root;
  for (const token of reference.split('/').slice(1)) {
    const key = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) throw new Uncountable();
    found = (found as Fields)[key];
  }
  return found;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    throw new Uncountable();
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const acceptsAny = (schema: unknown): boolean => schema === undefined || schema === true;
const hasDefault = (schema: unknown): boolean => isFields(schema) && 'default' in schema;
/** Libraries show as required, with a default, what they replace where it is wrong (`catch` of zod). */
const isFallback = (schema: unknown, isRequired: boolean): boolean => isRequired && hasDefault(schema);
