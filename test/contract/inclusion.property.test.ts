/** What the comparison calls harmless is: every value of the sender is a value of the receiver. */
import * as fc from 'fast-check';
import { fromJsonSchema } from 'tenon/json-schema';
import { expect, it } from 'vitest';
import { createWork } from '../../src/contract/schema/document.ts';
import { problemsBetween } from '../../src/contract/schema/fits.ts';
import { scaled } from '../kit/long.ts';

type Schema = Readonly<Record<string, unknown>> | boolean;

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(true, {}, { type: 'null' }, { type: 'boolean' }, { type: ['string', 'null'] }),
  fc.subarray(['a', 'AB', 1, 2, 1.5, null, true], { minLength: 1 }).map((values) => ({ enum: values })),
  fc.constantFrom('a', 1, null).map((value) => ({ const: value })),
  fc.constantFrom('a', 1, null).map((value) => ({ enum: ['a', 1, 2], const: value })),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.integer({ min: -1, max: 2 }),
      exclusiveMaximum: fc.integer({ min: 0, max: 3 }),
      multipleOf: fc.constantFrom(0.5, 1, 2),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.integer({ min: 0, max: 2 }),
      maxLength: fc.integer({ min: 0, max: 3 }),
      pattern: fc.constantFrom('^a', '^[A-Z]*$', ''),
    },
    { requiredKeys: ['type'] },
  ),
);

/** Other fields are always mentioned: what is not mentioned is taken as not sent, which this does not test. */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc
      .record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('x', 'y'), tie('schema'), { maxKeys: 2 }),
        required: fc.subarray(['x', 'y']),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      })
      .map((one) => one as Schema),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.integer({ min: 0, max: 3 }) }),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
    tie('schema').map((not) => ({ not })),
  ),
}));

const leaf = fc.constantFrom<unknown>(null, true, false, -1, 0, 1, 2, 1.5, 3, '', 'a', 'ab', 'AB', 'abcd');
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })), { maxKeys: 3 }),
);

/** The receiver is another schema, or one that differs in a part. */
const pair = fc.oneof(
  fc.tuple(schema, schema),
  fc.tuple(schema, schema).map(([one, other]): [Schema, Schema] => [one, { anyOf: [other, one] }]),
  fc.tuple(schema, schema).map(([one, other]): [Schema, Schema] => [{ allOf: [one, other] }, one]),
);

const accepts = (one: Schema): ((value: unknown) => boolean) => {
  const { validate } = fromJsonSchema(one)['~standard'];
  return (given) => !('issues' in validate(given));
};

it('a receiver without a problem accepts every value of the sender [S31]', () => {
  let compared = 0;
  fc.assert(
    fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([sender, receiver], values) => {
      const problems = problemsBetween(sender, receiver, createWork());
      if (problems.some(({ kind }) => kind !== 'ignored' && kind !== 'unsent')) return;
      compared++;
      const isSent = accepts(sender);
      const isTaken = accepts(receiver);
      expect(values.filter((one) => isSent(one) && !isTaken(one))).toEqual([]);
    }),
    { numRuns: scaled(150, 3000) },
  );
  expect(compared).toBeGreaterThan(20);
});

it('a listed value that a rule may exclude is not called refused', () => {
  const values = { enum: [{ x: 1 }] };
  const [found] = problemsBetween(values, { ...values, not: { required: ['y'] } }, createWork());
  expect(found?.isCertain).toBe(false);
});

it('a schema has no problem with itself, and no schema is too large to be judged', () => {
  fc.assert(
    fc.property(schema, (one) => {
      expect(problemsBetween(one, structuredClone(one), createWork())).toEqual([]);
    }),
    { numRuns: scaled(100, 2000) },
  );
});
