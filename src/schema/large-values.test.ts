/** Large values: too many violations are refused before the schema library, and no valid value changes. */

import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSchema, readValidator } from './reading.ts';
import type { Schema } from './standard.ts';

const many = (item: unknown, length = 2000): unknown[] => Array.from({ length }, () => item);

/** What the library alone makes of a value. */
const alone = (schema: Schema, value: unknown) => schema['~standard'].validate(value);

interface Case {
  readonly list: Schema;
  readonly item: unknown;
  /** The JSON Schema does not show what it accepts, so a bulk tool has to say so. */
  readonly isCoercing?: true;
}

const ofZod = (item: z.ZodType, value: unknown): Case => ({ list: z.array(item), item: value });
const ofValibot = (item: v.GenericSchema, value: unknown): Case => {
  const list = v.array(item);
  // Some actions, such as `brand` and `trim`, have no JSON Schema, and authors leave them out by `errorMode`.
  const show = () => toJsonSchema(list, { errorMode: 'ignore', typeMode: 'input' });
  const face = { ...list['~standard'], jsonSchema: { input: show, output: show } };
  return { list: { '~standard': face } as unknown as Schema, item: value };
};
const ofArktype = (item: unknown, value: unknown): Case => ({
  list: (type as unknown as (definition: unknown) => { array: () => Schema })(item).array(),
  item: value,
});
const coercing = (one: Case): Case => ({ ...one, isCoercing: true });

const point = z.object({ x: z.number(), y: z.number() });
interface Tree {
  readonly children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  get children() {
    return z.array(tree);
  },
});

const zodCases: Readonly<Record<string, Case>> = {
  'an object': ofZod(point, { x: 1, y: 2 }),
  'an object with more': ofZod(point, { x: 1, y: 2, z: 3 }),
  default: ofZod(z.object({ a: z.string().default('x') }), {}),
  prefault: ofZod(z.object({ a: z.string().prefault('x') }), {}),
  optional: ofZod(z.object({ a: z.string().optional() }), {}),
  nullish: ofZod(z.object({ a: z.string().nullish() }), { a: null }),
  'catch of a field': ofZod(z.object({ a: z.number().catch(1) }), { a: 'x' }),
  'catch of a missing field': ofZod(z.object({ a: z.number().catch(1) }), {}),
  'catch of items': ofZod(z.number().catch(1), 'x'),
  'catch of objects': ofZod(point.catch({ x: 0, y: 0 }), {}),
  transform: ofZod(
    z.string().transform((text) => text.length),
    'abc',
  ),
  pipe: ofZod(z.string().pipe(z.coerce.number()), '12'),
  codec: ofZod(z.codec(z.string(), z.number(), { decode: Number, encode: String }), '7'),
  stringbool: ofZod(z.stringbool(), 'yes'),
  brand: ofZod(z.string().brand('Id'), 'x'),
  readonly: ofZod(z.object({ a: z.string() }).readonly(), { a: 'x' }),
  trim: ofZod(z.string().trim().min(1).max(3), `${' '.repeat(10)}abc`),
  'trim before a pattern': ofZod(z.string().trim().regex(/^\w+$/), ' abc '),
  toLowerCase: ofZod(
    z
      .string()
      .toLowerCase()
      .regex(/^[a-z]+$/),
    'ABC',
  ),
  'a pattern with a flag': ofZod(z.string().regex(/^[a-z]+$/i), 'ABC'),
  'a pattern of Unicode': ofZod(z.string().regex(/^\p{Lu}$/u), 'É'),
  email: ofZod(z.email(), 'a@b.example'),
  int: ofZod(z.int().positive(), 3),
  enum: ofZod(z.enum(['a', 'b']), 'b'),
  literal: ofZod(z.literal([1, 'a', null]), null),
  union: ofZod(z.union([point, z.string()]), 'x'),
  'a discriminated union': ofZod(
    z.discriminatedUnion('k', [z.object({ k: z.literal('a'), a: z.string() }), z.object({ k: z.literal('b') })]),
    { k: 'b' },
  ),
  intersection: ofZod(z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })), { a: 'x', b: 'y' }),
  'an intersection of strict objects': ofZod(
    z.intersection(z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })),
    { a: 'x', b: 'y' },
  ),
  record: ofZod(z.record(z.string(), z.number()), { a: 1 }),
  'a record of all keys': ofZod(z.record(z.enum(['a', 'b']), z.number()), { a: 1, b: 2 }),
  partialRecord: ofZod(z.partialRecord(z.enum(['a', 'b']), z.number()), { a: 1 }),
  tuple: ofZod(z.tuple([z.string()], z.number()), ['a', 1, 2]),
  recursion: ofZod(tree, { children: [{ children: [] }] }),
  refine: ofZod(
    z.string().refine((text) => text !== 'y'),
    'x',
  ),
  coerce: coercing(ofZod(z.coerce.number(), '12')),
  preprocess: coercing(ofZod(z.preprocess(Number, z.number()), '12')),
};

const valibotCases: Readonly<Record<string, Case>> = {
  'an object': ofValibot(v.object({ a: v.string() }), { a: 'x', b: 1 }),
  'optional with a default': ofValibot(v.object({ a: v.optional(v.string(), 'x') }), {}),
  'nullish with a default': ofValibot(v.object({ a: v.nullish(v.string(), 'x') }), { a: null }),
  transform: ofValibot(v.pipe(v.string(), v.transform(Number)), '12'),
  'a pipe to another schema': ofValibot(v.pipe(v.string(), v.transform(Number), v.number()), '12'),
  brand: ofValibot(v.pipe(v.string(), v.brand('Id')), 'x'),
  readonly: ofValibot(v.pipe(v.string(), v.readonly()), 'x'),
  trim: ofValibot(v.pipe(v.string(), v.trim(), v.maxLength(3)), '     abc     '),
  toLowerCase: ofValibot(v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z]+$/)), 'ABC'),
  'a pattern with a flag': ofValibot(v.pipe(v.string(), v.regex(/^[a-z]+$/)), 'abc'),
  'lengths in UTF-16': ofValibot(v.pipe(v.string(), v.minLength(2)), '😀'),
  fallback: coercing(ofValibot(v.fallback(v.number(), 1), 'x')),
  'fallback of a field': coercing(ofValibot(v.object({ a: v.fallback(v.number(), 1) }), { a: 'x' })),
  picklist: ofValibot(v.picklist(['a', 'b']), 'b'),
  union: ofValibot(v.union([v.object({ a: v.string() }), v.number()]), 1),
  variant: ofValibot(v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b') })]), { k: 'b' }),
  intersect: ofValibot(v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]), { a: 'x', b: 'y' }),
  strictObject: ofValibot(v.strictObject({ a: v.string() }), { a: 'x' }),
  objectWithRest: ofValibot(v.objectWithRest({ a: v.string() }, v.number()), { a: 'x', b: 1 }),
  record: ofValibot(v.record(v.string(), v.number()), { a: 1 }),
  tupleWithRest: ofValibot(v.tupleWithRest([v.string()], v.number()), ['a', 1]),
};

const arktypeCases: Readonly<Record<string, Case>> = {
  'an object': ofArktype({ a: 'string' }, { a: 'x', b: 1 }),
  default: ofArktype({ a: 'string = "x"' }, {}),
  optional: ofArktype({ 'a?': 'string' }, {}),
  pipe: ofArktype(
    type('string').pipe((text) => text.length),
    'abc',
  ),
  'a pipe to another type': ofArktype(type('string').pipe(Number).to('number'), '12'),
  trim: ofArktype('string.trim', ' abc '),
  lower: ofArktype('string.lower', 'ABC'),
  parse: ofArktype('string.numeric.parse', '12'),
  brand: ofArktype(type('string').brand('Id'), 'x'),
  enumerated: ofArktype(type.enumerated('a', 'b'), 'b'),
  union: ofArktype(type({ a: 'string' }).or('number'), 1),
  'a union of objects': ofArktype(type({ k: '"a"', a: 'string' }).or({ k: '"b"' }), { k: 'b' }),
  intersection: ofArktype(type({ a: 'string' }).and({ b: 'string' }), { a: 'x', b: 'y' }),
  'index signature': ofArktype({ '[string]': 'number' }, { a: 1 }),
  tuple: ofArktype(['string', '...', 'number[]'], ['a', 1, 2]),
  'a pattern with a flag': ofArktype(/^[a-z]+$/, 'abc'),
  range: ofArktype('0 <= number.integer < 10', 3),
};

describe.each([
  ['zod', zodCases],
  ['valibot', valibotCases],
  ['arktype', arktypeCases],
])('a large value for %s', (_library, cases) => {
  it.each(Object.entries(cases))(
    'is validated as the library does it: %s [S24]',
    (_name, { list, item, isCoercing }) => {
      const value = many(item);
      const { validate } = readSchema(list, 'x', 'input', isCoercing);
      const expected = alone(list, value);
      expect(expected).not.toHaveProperty('issues');
      expect(validate(value)).toEqual({ ok: true, value: (expected as { value: unknown }).value });
      expect(readSchema(list, 'x').validate(value)).toMatchObject({ ok: !isCoercing });
    },
  );
});

describe('a large value with violations', () => {
  /** Counts how often the library is reached. */
  function watched(schema: Schema) {
    const face = schema['~standard'];
    let reached = 0;
    const validate = (value: unknown) => {
      reached++;
      return face.validate(value);
    };
    return {
      schema: { '~standard': { ...face, validate, jsonSchema: face.jsonSchema } } as Schema,
      reached: () => reached,
    };
  }

  const wide = z.object(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, z.string()])));

  it.each<[string, Schema, unknown]>([
    ['missing fields', z.array(wide), many({}, 60)],
    ['fields of records', z.record(z.string(), wide), Object.fromEntries(many({}, 60).map((each, n) => [n, each]))],
    ['wrong types', z.array(z.number()), many('x', 1001)],
    ['wrong choices', z.array(z.enum(['a'])), many('x', 1001)],
    ['wrong texts', z.array(z.string().regex(/^a/)), many('x', 1001)],
    ['long texts', z.array(z.string().max(1)), many('xxx', 1001)],
    ['numbers out of range', z.array(z.number().min(2)), many(1, 1001)],
    ['unknown keys', z.array(z.strictObject({ a: z.number().optional() })), many({ b: 1 }, 1001)],
    [
      'names of keys',
      z.partialRecord(z.enum(['a']), z.number()),
      Object.fromEntries(many(1, 1001).map((_, n) => [n, 1])),
    ],
    ['alternatives', z.array(z.union([wide, wide])), many({}, 30)],
    ['parts of an intersection', z.array(z.intersection(wide, z.object({ g: z.string() }))), many({}, 60)],
    ['references', z.array(tree), many({}, 1001)],
    [
      'valibot',
      toStandardJsonSchema(v.array(v.object({ a: v.string(), b: v.string() }))) as unknown as Schema,
      many({}, 600),
    ],
    ['arktype', type({ a: 'string', b: 'string' }).array() as unknown as Schema, many({}, 600)],
  ])('does not reach the library: %s [S24]', (_name, schema, wrong) => {
    const { schema: one, reached } = watched(schema);
    // The rest makes it large: what is counted are violations, not values.
    const value = Array.isArray(wrong) ? [...wrong, ...many(wrong[0], 1000)] : { ...(wrong as object), ...padding };
    const result = readSchema(one, 'x').validate(value);
    expect(result).toMatchObject({ ok: false, issues: { length: 8 } });
    expect(reached()).toBe(0);
  });

  const padding = Object.fromEntries(many({}, 1000).map((each, n) => [`p${n}`, each]));

  it('names the first of them with their places', () => {
    const result = readSchema(z.array(wide), 'x').validate(many({}));
    expect(result).toMatchObject({ ok: false, issues: { 0: { path: [0, 'f0'], message: 'is required' }, length: 8 } });
  });

  it('reaches the library with up to 1,000 of them, for the messages of the author', () => {
    const { schema, reached } = watched(z.array(z.number('a number, please')));
    const result = readSchema(schema, 'x').validate([...many(1), ...many('x', 1000)]);
    expect(result).toMatchObject({ issues: { 0: { path: [2000], message: 'a number, please' } } });
    expect(reached()).toBe(1);
  });

  it('does not try a pattern with flags that make it slow [S24]', () => {
    const { schema, reached } = watched(z.array(z.string().regex(/^([A-Z][a-z]+)*$/)));
    // Exponential where case is ignored: 200 letters would take longer than any test.
    expect(readSchema(schema, 'x').validate(many(`A${'a'.repeat(200)}!`))).toMatchObject({ ok: false });
    expect(reached()).toBe(1);
  });

  it('leaves texts of several lines to the library, as their flags matter', () => {
    const { schema } = watched(z.array(z.string().regex(/^b/m)));
    expect(readSchema(schema, 'x').validate(many('a\nb'))).toMatchObject({ ok: true });
  });

  it('counts alternatives in alternatives once for each value [S24]', () => {
    const node: z.ZodType = z.lazy(() =>
      z.union([z.object({ and: node, a: z.number() }), z.object({ and: node }), z.null()]),
    );
    const { schema, reached } = watched(z.object({ node, rest: z.array(z.number()) }));
    let deep: unknown = null;
    for (let n = 0; n < 100; n++) deep = { and: deep };
    // By its steps alone it could not be counted: then so large a value is refused.
    expect(readSchema(schema, 'x').validate({ node: deep, rest: many(1, 20_000) })).toMatchObject({ ok: true });
    expect(reached()).toBe(1);
    let wrong: unknown = 'x';
    for (let n = 0; n < 100; n++) wrong = { and: wrong };
    expect(readSchema(schema, 'x').validate({ node: wrong, rest: many(1, 20_000) })).toMatchObject({
      ok: false,
      issues: [{ path: ['node'], message: 'matches none of the alternatives' }],
    });
    expect(reached()).toBe(1);
  });

  it('reaches the library if it is small, whatever is wrong', () => {
    const { schema, reached } = watched(z.array(wide));
    expect(readSchema(schema, 'x').validate(many({}, 900))).toMatchObject({ ok: false });
    expect(reached()).toBe(1);
  });

  it('does not reach the library either if it is small and has over 20,000 of them [S24]', () => {
    const block = (n: number) => z.object(Object.fromEntries(many('', 20).map((_, at) => [`f${n}_${at}`, z.string()])));
    const { schema, reached } = watched(z.array(z.union(many('', 20).map((_, n) => block(n)))));
    const { validate } = readSchema(schema, 'x');
    expect(validate(many({}, 990))).toMatchObject({ ok: false, issues: { length: 8 } });
    expect(reached()).toBe(0);
    const valid = Object.fromEntries(many('', 20).map((_, at) => [`f19_${at}`, 'x']));
    expect([validate(many(valid, 40)), validate(many({}, 40))]).toMatchObject([{ ok: true }, { ok: false }]);
    expect(reached()).toBe(2);
  });

  it('is not counted in the output of a handler', () => {
    const { schema, reached } = watched(z.array(z.number()));
    readSchema(schema, 'x', 'output').validate(many('x'));
    expect(reached()).toBe(1);
  });

  it.each([
    ['conditions', { if: { type: 'string' } }],
    ['names by patterns', { items: { patternProperties: { '^a': { type: 'string' } } } }],
    ['a reference to another document', { $ref: 'https://a.example/schema' }],
    ['a reference that leads nowhere', { $ref: '#/$defs/x' }],
    ['a reference to itself', { items: { $ref: '#/items' } }],
    ['alternatives without end', deepChoices(30)],
  ])('is bounded in size where violations cannot be counted: %s [S24]', (_name, jsonSchema) => {
    const show = () => jsonSchema as Record<string, unknown>;
    const validate = (value: unknown) => ({ value });
    const schema = { '~standard': { version: 1, vendor: 'hand', validate, jsonSchema: { input: show, output: show } } };
    const { validate: check } = readSchema(schema as unknown as Schema, 'x');
    expect(check(many('x', 9999))).toMatchObject({ ok: true });
    expect(check(many('x', 10_000))).toEqual({
      ok: false,
      issues: [{ path: [], message: 'has more than 10000 values. Send less at once' }],
    });
  });

  it('is bounded in size where there is no JSON Schema', () => {
    const schema = { '~standard': { version: 1, vendor: 'hand', validate: (value: unknown) => ({ value }) } } as const;
    const check = readValidator(schema as never, 'x');
    expect([check(many('x', 9999)), check(many('x', 10_000))]).toMatchObject([{ ok: true }, { ok: false }]);
  });
});

/** Two alternatives at each of many levels: 2 to the power of the levels. */
function deepChoices(levels: number): object {
  const $defs: Record<string, object> = { l0: { type: 'number' } };
  for (let n = 1; n <= levels; n++) {
    const below = { $ref: `#/$defs/l${n - 1}` };
    $defs[`l${n}`] = { anyOf: [below, below] };
  }
  return { $defs, items: { $ref: `#/$defs/l${levels}` } };
}
