import * as fc from 'fast-check';
import { Settings } from 'typebox/system';
import { afterEach, describe, expect, it } from 'vitest';
import { scaled } from '../../../test/kit/long.ts';
import type { StandardResult } from '../../schema/standard.ts';
import { fromJsonSchema } from '../json-schema.ts';

type Node = Record<string, unknown>;

/** What a schema means for a value by the letter of the specification: whether it is valid, and the keys and indices it evaluated. */
interface Seen {
  ok: boolean;
  at: Set<string | number>;
}

/** A plain reading of the specification, slow and for small values. */
function evaluate(schema: unknown, value: unknown): Seen {
  if (typeof schema === 'boolean') return { ok: schema, at: new Set() };
  const node = schema as Node;
  const seen: Seen = { ok: true, at: new Set() };
  const list = Array.isArray(value) ? value : undefined;
  const held = typeof value === 'object' && value !== null && list === undefined ? (value as Node) : undefined;
  const need = (ok: boolean): void => void (seen.ok &&= ok);
  const absorb = (result: Seen): void => (result.ok ? result.at.forEach((key) => seen.at.add(key)) : undefined);
  const inside = (key: string | number, sub: unknown): void => {
    need(evaluate(sub, (value as Node)[key]).ok);
    seen.at.add(key);
  };
  if ('const' in node) need(JSON.stringify(node['const']) === JSON.stringify(value));
  if ('type' in node) need(kind(value) === node['type']);
  const properties = (node['properties'] ?? {}) as Node;
  if (held) for (const key of Object.keys(properties)) if (Object.hasOwn(held, key)) inside(key, properties[key]);
  if (held && 'additionalProperties' in node) {
    for (const key of Object.keys(held)) if (!Object.hasOwn(properties, key)) inside(key, node['additionalProperties']);
  }
  const heads = (node['prefixItems'] ?? []) as unknown[];
  list?.forEach((_, at) => {
    if (at < heads.length) inside(at, heads[at]);
    else if ('items' in node) inside(at, node['items']);
  });
  if (list && 'contains' in node) {
    const found = [...list.keys()].filter((at) => evaluate(node['contains'], list[at]).ok);
    need(found.length > 0);
    for (const at of found) seen.at.add(at);
  }
  evaluateHere(node, value, held, { need, absorb });
  const unevaluated = held ? 'unevaluatedProperties' : 'unevaluatedItems';
  if ((held ?? list) && unevaluated in node) {
    const keys = held ? Object.keys(held) : [...(list ?? []).keys()];
    for (const key of keys) if (!seen.at.has(key)) inside(key, node[unevaluated]);
  }
  return seen;
}

interface Account {
  need: (ok: boolean) => void;
  absorb: (result: Seen) => void;
}

function evaluateHere(node: Node, value: unknown, held: Node | undefined, { need, absorb }: Account): void {
  const of = (keyword: string): Seen[] => ((node[keyword] ?? []) as unknown[]).map((sub) => evaluate(sub, value));
  const [all, any, one] = [of('allOf'), of('anyOf'), of('oneOf')];
  need(all.every(({ ok }) => ok));
  need(any.length === 0 || any.some(({ ok }) => ok));
  need(one.length === 0 || one.filter(({ ok }) => ok).length === 1);
  [...all, ...any, ...one].forEach(absorb);
  if ('not' in node) need(!evaluate(node['not'], value).ok);
  if ('if' in node) {
    const condition = evaluate(node['if'], value);
    absorb(condition);
    const branch = evaluate(node[condition.ok ? 'then' : 'else'] ?? true, value);
    need(branch.ok);
    absorb(branch);
  }
  for (const [key, sub] of Object.entries((node['dependentSchemas'] ?? {}) as Node)) {
    if (held === undefined || !Object.hasOwn(held, key)) continue;
    const result = evaluate(sub, value);
    need(result.ok);
    absorb(result);
  }
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const key = fc.constantFrom('a', 'b', 'c');
const map = <T>(held: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(key, held, { maxKeys: 3, noNullPrototype: true });
const { any: value } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, fc.constantFrom(1, 2, 'x'), fc.array(tie('any'), { maxLength: 3 }), map(tie('any'))),
}));

const { node: schema } = fc.letrec<{ node: Node; sub: unknown }>((tie) => {
  const one = (keyword: string, held: fc.Arbitrary<unknown>): fc.Arbitrary<Node> =>
    held.map((it) => ({ [keyword]: it }));
  const sub = tie('sub');
  const part = fc.oneof(
    one('const', fc.constantFrom(1, 2, 'x')),
    one('type', fc.constantFrom('array', 'object', 'number')),
    ...['unevaluatedProperties', 'unevaluatedItems'].map((name) => one(name, fc.oneof(fc.constant(false), sub))),
    ...['properties', 'dependentSchemas'].map((name) => one(name, map(sub))),
    ...['additionalProperties', 'items', 'contains', 'not'].map((name) => one(name, sub)),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) =>
      one(name, fc.array(sub, { minLength: 1, maxLength: 2 })),
    ),
    fc.record(Object.fromEntries(['if', 'then', 'else'].map((name) => [name, sub])), { requiredKeys: ['if'] }),
  );
  return {
    sub: fc.oneof({ maxDepth: 3 }, fc.boolean(), tie('node')),
    node: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => Object.assign({}, ...parts) as Node),
  };
});

const runs = scaled(30, 4000);

afterEach(() => Settings.Reset());

describe.each([
  ['compiled', true],
  ['interpreted', false],
] as const)('unevaluatedProperties and unevaluatedItems, %s,', (_, useAcceleration) => {
  it('judge generated values as the specification says', () => {
    Settings.Set({ useAcceleration });
    const results = { true: 0, false: 0 };
    const property = fc.property(schema, fc.array(value, { minLength: 4, maxLength: 8 }), (schema, values) => {
      const { validate } = fromJsonSchema(schema)['~standard'];
      for (const candidate of values) {
        const accepted = (validate(candidate) as StandardResult<unknown>).issues === undefined;
        if (accepted !== evaluate(schema, candidate).ok) {
          throw new Error(`ours says ${accepted} of ${JSON.stringify(candidate)} under ${JSON.stringify(schema)}`);
        }
        results[`${accepted}`] += 1;
      }
    });
    fc.assert(property, { seed: 7, numRuns: runs });
    expect(results.true).toBeGreaterThan(runs / 2);
    expect(results.false).toBeGreaterThan(runs / 2);
  });
});
