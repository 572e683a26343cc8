import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { Settings } from 'typebox/system';
import { afterEach, describe, expect, it } from 'vitest';
import { scaled } from '../../test/kit/long.ts';
import type { StandardResult } from '../schema/standard.ts';
import { fromJsonSchema } from './json-schema.ts';

/*
 * Differences from ajv that are allowed, and so not generated here:
 * - `format`: ajv asserts none without a plugin; ours are tested in json-schema.test.ts.
 * - `pattern` with white space classes: RE2's are translated, tested in patterns.test.ts.
 * - `multipleOf` with fractions: typebox allows for rounding (0.3 is a multiple of 0.1), ajv does not.
 * - `uniqueItems`, `enum` and `const` on keys named `__proto__`; `required` on inherited names: ajv is wrong there.
 * - `contains` beside `prefixItems`: ajv accepts an empty array.
 * - `enum: []`: ajv refuses to compile it; here nothing fits it.
 * - `unevaluatedItems` and `unevaluatedProperties`: ajv counts what failed branches saw; see evaluation.property.test.ts.
 */

const keys = ['a', 'b', 'c', 'x-1'];
const key = fc.constantFrom(...keys);
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'a', 'ab', 'abc', '😀', 0, 1, 2, 3, -1, 1.5),
  fc.integer({ min: -5, max: 5 }),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const count = fc.integer({ min: 0, max: 3 });
const typeName = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');
const pattern = fc.constantFrom('^a', 'b$', '^.$', '[ab]+', '^(a|b)*$', '\\d', '^x-', '');

type Maker = (sub: fc.Arbitrary<unknown>) => fc.Arbitrary<Record<string, unknown>>;
const one = (keyword: string, held: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  held.map((inner) => ({ [keyword]: inner }));

const assertions: Maker = () =>
  fc.oneof(
    one('type', fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }))),
    one('enum', fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) })),
    one('const', value),
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) =>
      one(name, fc.integer({ min: -2, max: 3 })),
    ),
    one('multipleOf', fc.constantFrom(1, 2, 3, 0.5)),
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((name) =>
      one(name, count),
    ),
    one('pattern', pattern),
    one('uniqueItems', fc.boolean()),
    one('required', fc.uniqueArray(key, { maxLength: 2 })),
    one(
      'dependentRequired',
      fc.dictionary(key, fc.uniqueArray(key, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
    ),
  );

const applicators: Maker = (sub) => {
  const some = fc.array(sub, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(key, sub, { maxKeys: 3, noNullPrototype: true });
  return fc.oneof(
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => one(name, some)),
    ...['not', 'items', 'additionalProperties', 'propertyNames'].map((name) => one(name, sub)),
    fc.record({ contains: sub, minContains: count, maxContains: count }, { requiredKeys: ['contains'] }),
    fc.record(Object.fromEntries(['if', 'then', 'else'].map((name) => [name, sub])), { requiredKeys: ['if'] }),
    one('properties', map),
    one('dependentSchemas', map),
    one('patternProperties', fc.dictionary(pattern, sub, { maxKeys: 2, noNullPrototype: true })),
    fc.record({
      patternProperties: fc.dictionary(pattern, sub, { maxKeys: 2, noNullPrototype: true }),
      properties: map,
      additionalProperties: sub,
    }),
    fc.constantFrom({ $ref: '#/$defs/text' }, { $ref: '#/$defs/tree' }),
  );
};

const $defs = {
  text: { type: 'string', minLength: 1 },
  tree: { type: 'object', additionalProperties: { $ref: '#/$defs/tree' } },
};

const withoutDifference = ({ prefixItems, ...schema }: Record<string, unknown>): Record<string, unknown> =>
  prefixItems === undefined || 'contains' in schema ? schema : { ...schema, prefixItems };

function schemas(): fc.Arbitrary<Record<string, unknown>> {
  const { node } = fc.letrec<{ node: Record<string, unknown>; sub: unknown }>((tie) => ({
    sub: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), tie('node')),
    node: fc
      .array(fc.oneof(assertions(tie('sub')), applicators(tie('sub'))), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => withoutDifference(Object.assign({}, ...parts) as Record<string, unknown>)),
  }));
  return node.map((schema) => ({ ...schema, $defs }));
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });

/** What ajv says of a value; `undefined` if it throws: some schemas make it write into an object that it has not created. */
function judge(theirs: ValidateFunction, candidate: unknown): boolean | undefined {
  try {
    return theirs(candidate);
  } catch {
    return undefined;
  }
}

/** Compares the results, and counts how many values were accepted and how many refused. */
function compare(schema: Record<string, unknown>, candidates: readonly unknown[], tally: Tally): void {
  const theirs = ajv.compile(schema);
  ajv.removeSchema(schema);
  const { validate } = fromJsonSchema(schema)['~standard'];
  for (const candidate of candidates) {
    const result = validate(candidate) as StandardResult<unknown>;
    const accepted = result.issues === undefined;
    const expected = judge(theirs, candidate);
    if (expected === undefined) tally.unjudged += 1;
    else if (accepted !== expected)
      throw new Error(`ours says ${accepted} of ${JSON.stringify(candidate)} under ${JSON.stringify(schema)}`);
    if (result.issues?.[0]?.message === 'does not match the schema') tally.unexplained += 1;
    tally[accepted ? 'accepted' : 'refused'] += 1;
  }
}

interface Tally {
  accepted: number;
  refused: number;
  unexplained: number;
  /** Values of which ajv says nothing. */
  unjudged: number;
}

const noneCounted = (): Tally => ({ accepted: 0, refused: 0, unexplained: 0, unjudged: 0 });

function agree(schema: fc.Arbitrary<Record<string, unknown>>, numRuns: number): Tally {
  const tally = noneCounted();
  const property = fc.property(schema, fc.array(value, { minLength: 4, maxLength: 8 }), (schema, candidates) =>
    compare(schema, candidates, tally),
  );
  fc.assert(property, { seed: 7, numRuns: numRuns });
  return tally;
}

afterEach(() => Settings.Reset());

const runs = scaled(30, 3000);

const modes = [
  ['compiled', true],
  ['interpreted', false],
] as const;

describe.each(modes)('generated schemas and values are accepted or refused as by ajv, %s', (_, useAcceleration) => {
  it('over the ordinary keywords of 2020-12 [e-jsonschema-03]', () => {
    Settings.Set({ useAcceleration });
    const tally = agree(schemas(), runs);
    expect(tally.accepted).toBeGreaterThan(runs);
    expect(tally.refused).toBeGreaterThan(runs);
    expect(tally.unexplained).toBe(0);
    expect(tally.unjudged).toBeLessThan(runs / 10);
  });

  it('but `contains` refuses an empty array beside `prefixItems` too [e-jsonschema-03]', () => {
    Settings.Set({ useAcceleration });
    const { validate } = fromJsonSchema({ contains: { type: 'string' }, prefixItems: [{ type: 'array' }] })[
      '~standard'
    ];
    expect(
      [[], [[]], [[], 'a']].map((value) => (validate(value) as StandardResult<unknown>).issues === undefined),
    ).toEqual([false, false, true]);
  });

  it('where ajv throws, value by value: its other results count [e-jsonschema-03]', () => {
    Settings.Set({ useAcceleration });
    const either = { anyOf: [{ type: 'object' }, { properties: { a: false } }] };
    const tally = noneCounted();
    compare({ patternProperties: { '^a': true }, allOf: [either] }, [{ a: 1 }, { b: 1 }, [], 0], tally);
    expect(tally).toEqual({ accepted: 4, refused: 0, unexplained: 0, unjudged: 1 });
  });
});
