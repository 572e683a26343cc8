/** Lowering loses no value that the schema of the server accepts, unless the report says so. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../test/kit/long.ts';
import { fromJsonSchema } from '../../json-schema/index.ts';
import { isRecord } from '../../lib/values/is.ts';
import { lowerSchema } from './lower-schema.ts';
import { subschemas } from './nodes.ts';
import { withoutUnsetNulls } from './nulls.ts';
import type { SchemaTarget } from './report.ts';
import { withoutPatterns } from './without-patterns.ts';

const key = fc.constantFrom('a', 'b', 'c', 'x-1');
const scalar = fc.constantFrom<unknown>(null, true, '', 'a', 'ab', 0, 1, 2.5, -1);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const args = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });

const typeName = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');
const keyword = (sub: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> => {
  const subs = fc.array(sub, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(key, sub, { maxKeys: 3, noNullPrototype: true });
  const one = (name: string, held: fc.Arbitrary<unknown>) => held.map((inner) => ({ [name]: inner }));
  return fc.oneof(
    one('type', fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }))),
    one('enum', fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 })),
    one('const', scalar),
    one('minimum', fc.integer({ min: -1, max: 2 })),
    one('minLength', fc.integer({ min: 0, max: 2 })),
    one('pattern', fc.constantFrom('^a', 'b$', '\\d')),
    one('description', fc.constant('words')),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((name) => one(name, subs)),
    ...['not', 'if', 'then', 'else', 'contains', 'items', 'additionalProperties', 'propertyNames'].map((name) =>
      one(name, sub),
    ),
    one('unevaluatedProperties', fc.constant(false)),
    one('patternProperties', fc.dictionary(fc.constantFrom('^a', '^x'), sub, { maxKeys: 1, noNullPrototype: true })),
    one('dependentSchemas', named),
    ...[0, 1, 2].map(() => one('properties', named)),
    one('required', fc.uniqueArray(key, { maxLength: 2 })),
    one('additionalProperties', fc.boolean()),
    one('$ref', fc.constantFrom('#/$defs/one', '#/$defs/two', '#', '#/properties/a')),
  );
};
const sub = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    fc.array(keyword(tie('any')), { minLength: 1, maxLength: 3 }).map((all) => Object.assign({}, ...all)),
  ),
})).any;

const schema = fc
  .record({
    keywords: fc.array(keyword(sub), { maxLength: 4 }),
    defs: fc.record({ one: sub, two: sub }),
    property: fc.option(sub, { nil: undefined }),
  })
  .map(({ keywords, defs, property }): Record<string, unknown> => {
    const root = Object.assign({}, ...keywords) as Record<string, unknown>;
    const properties = { a: property ?? {}, ...(root.properties as object | undefined) };
    return { ...root, type: 'object', properties, $defs: defs };
  });

const targets = ['any', 'anthropic', 'openai', 'openai-strict', 'google'] as const;

/** Undefined where our validator refuses the schema, or a check takes too much work. */
function checker(from: object): ((value: unknown) => boolean) | undefined {
  try {
    const { validate } = fromJsonSchema(from)['~standard'];
    return (value) => {
      const result = validate(value) as { issues?: readonly { message: string }[] };
      return result.issues === undefined || /too much work|deeper/.test(result.issues[0]?.message ?? '');
    };
  } catch {
    return undefined;
  }
}

/** A model in strict mode sends null for what it does not set. */
function withNulls(value: unknown, node: unknown, root: Record<string, unknown>): unknown {
  if (!isRecord(node)) return value;
  if (Array.isArray(value)) return value.map((one) => withNulls(one, node.items, root));
  if (!isRecord(value)) return value;
  const names: readonly string[] = Array.isArray(node.required) ? (node.required as string[]) : [];
  const properties = isRecord(node.properties) ? node.properties : {};
  const all = [...Object.keys(value), ...names.filter((name) => !Object.hasOwn(value, name))];
  return Object.fromEntries(all.map((name) => [name, withNulls(value[name] ?? null, properties[name], root)]));
}

describe('lowering', () => {
  it.each(targets)('loses no value for %s that the report does not name', (target: SchemaTarget) => {
    fc.assert(
      fc.property(schema, fc.array(args, { minLength: 1, maxLength: 8 }), (original, values) => {
        const result = lowerSchema(original, target);
        if ('problem' in result || result.changes.some(({ losesValues }) => losesValues)) return;
        const accepts = checker(original);
        const acceptsLowered = checker(result.schema);
        if (accepts === undefined || acceptsLowered === undefined) return;
        const lost = values
          .filter(accepts)
          .filter((one) => !acceptsLowered(result.isStrict ? withNulls(one, result.schema, original) : one));
        expect(lost).toEqual([]);
      }),
      { numRuns: scaled(50, 5000) },
    );
  });

  it.each(targets)('has a result for %s in the form that the target asks for', (target) => {
    fc.assert(
      fc.property(schema, (original) => {
        const before = JSON.stringify(original);
        const result = lowerSchema(original, target);
        expect(JSON.stringify(original)).toBe(before);
        if ('problem' in result) return;
        expect([result.schema.type, isRecord(result.schema.properties)]).toEqual(['object', true]);
        for (const name of ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'])
          expect(result.schema).not.toHaveProperty([name]);
        const all = everything(result.schema);
        expect(all.filter((node) => refusedBy[target](node))).toEqual([]);
        expect(all.filter((node) => result.isStrict && isOpenObject(node))).toEqual([]);
      }),
      { numRuns: scaled(100, 10_000) },
    );
  });

  it('for frameworks that check arguments has no pattern, and refuses nothing more', () => {
    fc.assert(
      fc.property(schema, fc.array(args, { minLength: 1, maxLength: 8 }), (original, values) => {
        const result = lowerSchema(original, 'openai');
        if ('problem' in result) return;
        const open = withoutPatterns(result.schema);
        expect(everything(open).filter((node) => 'pattern' in node || 'patternProperties' in node)).toEqual([]);
        const [accepts, acceptsOpen] = [checker(result.schema), checker(open)];
        if (accepts === undefined || acceptsOpen === undefined) return;
        expect(values.filter(accepts).filter((one) => !acceptsOpen(one))).toEqual([]);
      }),
      { numRuns: scaled(100, 5000) },
    );
  });

  it('gives back the arguments that a model in strict mode padded with nulls', () => {
    const text = fc.constantFrom({ type: 'string' }, { type: ['string', 'null'] }, { anyOf: [{ type: 'string' }] });
    const shape = fc.record({ a: text, b: text, c: text }, { requiredKeys: [] });
    const given = fc.record({ a: fc.string(), b: fc.string(), c: fc.string() }, { requiredKeys: [] });
    fc.assert(
      fc.property(shape, given, (properties, values) => {
        const original = { type: 'object', properties, additionalProperties: false };
        const result = lowerSchema(original, 'openai-strict');
        if ('problem' in result) throw new Error(result.problem);
        const known = Object.fromEntries(Object.entries(values).filter(([name]) => name in properties));
        const back = withoutUnsetNulls(withNulls(known, result.schema, original), original) as object;
        const meant = Object.fromEntries(Object.entries(back).filter(([, one]) => one !== null));
        expect(meant).toEqual(known);
      }),
      { numRuns: scaled(200, 5000) },
    );
  });
});

type Form = Readonly<Record<string, unknown>>;
const isOpenObject = (node: Form): boolean => isRecord(node.properties) && node.additionalProperties !== false;
const hasTests = (node: Form): boolean => 'oneOf' in node || 'not' in node;
const isArray = ({ type }: Form): boolean => type === 'array' || (Array.isArray(type) && type.includes('array'));
const lacksItems = (node: Form): boolean => isArray(node) && !('items' in node);
const requiresMore = ({ required, properties = {} }: Form): boolean =>
  Array.isArray(required) && required.some((name: string) => !Object.hasOwn(properties as object, name));
const refusedBy: Readonly<Record<SchemaTarget, (node: Form) => boolean>> = {
  any: lacksItems,
  anthropic: lacksItems,
  openai: (node) => hasTests(node) || lacksItems(node),
  'openai-strict': (node) => hasTests(node) || lacksItems(node),
  google: (node) =>
    hasTests(node) ||
    '$ref' in node ||
    'allOf' in node ||
    Array.isArray(node.type) ||
    (isArray(node) && !isRecord(node.items)) ||
    requiresMore(node) ||
    (node.enum !== undefined && node.type !== 'string'),
};

function everything(node: Form): Form[] {
  const inner = subschemas(node, '').flatMap(([one]) => (isRecord(one) ? everything(one) : []));
  return [node, ...inner];
}
