/** Schemas as tools have them, of any shape, each with at least one value that fits. */
import * as fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

const some = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Partial<T>>;

const names = fc.constantFrom('city', 'days', 'a b', 'ünï', '0', '__proto', 'constructor', 'a/b~c', 'x.y', '');
const word = fc.constantFrom('Oslo', 'a', '', 'two words', '😀');
const about = some({ title: word, description: word, deprecated: fc.boolean() });

const text = fc.oneof(
  some({ minLength: fc.nat(6), maxLength: fc.integer({ min: 6, max: 900 }) }),
  fc.record({ format: fc.constantFrom('date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'password') }),
);
const number = some({
  minimum: fc.integer({ min: -9, max: 0 }),
  maximum: fc.integer({ min: 1, max: 9 }),
  multipleOf: fc.constantFrom(1, 0.5),
});
const scalars = fc.oneof(word, fc.integer({ min: -2, max: 2 }), fc.boolean(), fc.constant(null));

export const anySchema: fc.Arbitrary<Schema> = fc
  .letrec<{ any: Schema; object: Schema }>((tie) => {
    const typed = (type: string | string[], more: fc.Arbitrary<object>): fc.Arbitrary<Schema> =>
      fc.tuple(about, more).map(([facts, rules]) => ({ type, ...facts, ...rules }));
    return {
      any: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        typed('string', text),
        typed('number', number),
        typed(
          'integer',
          number.map((options) => ({ ...options, multipleOf: 1 })),
        ),
        typed('boolean', fc.constant({})),
        typed(['string', 'null'], fc.constant({})),
        fc.uniqueArray(scalars, { minLength: 1, maxLength: 5 }).map((values) => ({ enum: values })),
        fc.record({ const: scalars }),
        fc.constant({ $ref: '#/$defs/shared' }),
        tie('object'),
        typed(
          'array',
          fc
            .tuple(tie('any'), some({ maxItems: fc.integer({ min: 1, max: 3 }) }))
            .map(([items, rules]) => ({ items, ...rules })),
        ),
        fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.tuple(tie('any'), about).map(([one, facts]) => ({ allOf: [one], ...facts })),
      ),
      object: fc
        .tuple(fc.dictionary(names, tie('any'), { maxKeys: 4, noNullPrototype: true }), fc.boolean(), fc.boolean())
        .map(([properties, isRequired, isClosed]) => ({
          type: 'object',
          properties,
          ...(isRequired && { required: Object.keys(properties) }),
          ...(isClosed && { additionalProperties: false }),
        })),
    };
  })
  .object.map((schema) => ({ ...schema, $defs: { shared: { type: 'string', minLength: 1 } } }));
