import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../test/kit/long.ts';
import { checkValue, type FormField, initialValue, planForm } from './form-plan.ts';

const names = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<unknown>(null, true, false, '', 'a', 'ab', 0, 1, 2, -1, 1.5);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(names, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const count = fc.integer({ min: 0, max: 3 });
const optional = { requiredKeys: [] as never[], noNullPrototype: true } as const;

/** Every schema names its types: a keyword alone, such as `minLength`, allows other types, which a form does not offer. */
const schema = fc.letrec<{ any: object | boolean }>((tie) => {
  const sub = tie('any');
  const subs = fc.array(sub, { minLength: 1, maxLength: 3 });
  const properties = fc.dictionary(names, sub, { maxKeys: 3, noNullPrototype: true });
  return {
    any: fc.oneof(
      { maxDepth: 3 },
      fc.record(
        { type: fc.constant('string'), minLength: count, maxLength: count },
        { ...optional, requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('number'), minimum: count, exclusiveMaximum: count },
        { ...optional, requiredKeys: ['type'] },
      ),
      fc.record({ type: fc.uniqueArray(fc.constantFrom('integer', 'null', 'boolean', 'string'), { minLength: 1 }) }),
      fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }) }),
      fc.record({ const: scalar }),
      fc.constant({ $ref: '#/$defs/d' }),
      fc.constant(true),
      fc.record(
        { type: fc.constant('array'), items: sub, minItems: count, uniqueItems: fc.boolean() },
        { ...optional, requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('object'), properties, required: fc.uniqueArray(names), additionalProperties: sub },
        { ...optional, requiredKeys: ['type'] },
      ),
      fc.record({ anyOf: subs }),
      fc.record({ oneOf: subs, type: fc.constantFrom('object', 'string') }, { ...optional, requiredKeys: ['oneOf'] }),
      fc.record({ allOf: subs }),
      fc.record({
        type: fc.constant('object'),
        properties,
        patternProperties: fc.constant({ '^a': {} }),
        additionalProperties: sub,
      }),
    ),
  };
}).any;

const document = fc
  .tuple(schema, schema)
  .map(([root, d]) => ({ ...(root === true ? {} : (root as object)), $defs: { d } }));

/** Opens everything that is inside a field, so that all of it is planned. */
function open(field: FormField, depth = 0): void {
  if (depth > 4) return;
  if (field.kind === 'object') {
    for (const inner of field.fields()) open(inner, depth + 1);
    if (field.more !== undefined) open(field.more(), depth + 1);
  }
  if (field.kind === 'list') open(field.item, depth + 1);
  if (field.kind === 'union') for (const option of field.options) open(option.field(), depth + 1);
}

describe('the plan of any schema', () => {
  it('accepts every value that the schema accepts', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });
    let accepted = 0;
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 1, maxLength: 6 }), (written, values) => {
        const plan = planForm(written);
        open(plan);
        initialValue(plan);
        let isValid: (one: unknown) => boolean;
        try {
          isValid = ajv.compile(written) as (one: unknown) => boolean;
        } catch {
          return;
        }
        for (const one of values) {
          let fits = false;
          try {
            fits = isValid(one);
          } catch {
            // A reference to itself: the official validator overflows its stack.
          }
          if (!fits) continue;
          accepted += 1;
          expect(checkValue(plan, one), `${JSON.stringify(written)} ${JSON.stringify(one)}`).toEqual([]);
        }
      }),
      { numRuns: scaled(80, 2000) },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
