/** Schemas and values made to hang, crash or mislead a validator, each with the outcome it must have. */

import { fromJsonSchema } from '../../src/json-schema/json-schema.ts';

/** `refused`: fromJsonSchema() throws. `failed`: the value is invalid. */
export type Outcome = 'accepted' | 'failed' | 'refused';

export interface HostileCase {
  readonly name: string;
  readonly outcome: Outcome;
  readonly schema: () => object;
  readonly value: () => unknown;
}

type Row = readonly [name: string, outcome: Outcome, schema: () => object, value?: () => unknown];

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);
const repeat = (length: number, value: unknown): unknown[] => Array.from({ length }, () => value);
const mapOf = (length: number, member: (index: number) => [string, unknown]): object =>
  Object.fromEntries(numbers(length).map(member));

/** Each definition applies the next one `width` times; the last one requires a string. */
function bomb(levels: number, width: number, keyword: string): object {
  const next = (index: number): unknown =>
    index === levels - 1 ? { type: 'string' } : { [keyword]: repeat(width, { $ref: `#/$defs/d${index + 1}` }) };
  return { $ref: '#/$defs/d0', $defs: mapOf(levels, (index) => [`d${index}`, next(index)]) };
}

function selfContaining(): object {
  const schema: Record<string, unknown> = {};
  schema['not'] = schema;
  return schema;
}

const branching = { properties: { a: { anyOf: repeat(2, { $ref: '#' }) } }, required: ['z'] };
const expensive = { items: { anyOf: numbers(900).map((index) => ({ const: { index } })) } };
const slow = '^(a+)+$';
const attack = `${'a'.repeat(100_000)}!`;

const schemas: readonly Row[] = [
  ['a schema 20 000 levels deep', 'refused', () => nested(20_000, (items) => ({ items })) as object],
  ['a schema that contains selfContaining', 'refused', selfContaining],
  ['a schema of a million members', 'refused', () => ({ enum: numbers(1_000_000) })],
  ['an enum of 200 000 objects', 'refused', () => ({ enum: numbers(200_000).map((index) => ({ index })) })],
  ['an enum of 6 000 members', 'refused', () => ({ enum: numbers(6_000) })],
  ['a description of a million characters', 'refused', () => ({ description: 'x'.repeat(1_000_000) })],
  ['2 000 references', 'refused', () => ({ $defs: { a: {} }, allOf: repeat(2_000, { $ref: '#/$defs/a' }) })],
  ['300 patterns', 'refused', () => ({ allOf: numbers(300).map((index) => ({ pattern: `^${index}` })) })],
  ['a reference to selfContaining', 'refused', () => ({ $ref: '#' })],
  ['a dynamic reference to selfContaining', 'refused', () => ({ $dynamicAnchor: 'a', $dynamicRef: '#a' })],
  ['a loop of two', 'refused', () => ({ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ not: { $ref: '#' } }] } } })],
  ['an unused loop', 'refused', () => ({ $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } })],
  ['a chain of 990 references', 'refused', () => bomb(990, 1, 'allOf')],
  ['a function', 'refused', () => ({ default: () => 1 })],
  ['an instance of a class', 'refused', () => ({ pattern: /a/ })],
  ['keywords that only TypeBox uses', 'accepted', () => ({ '~refine': [{ check: 1 }], '~kind': 'x' })],
  [
    'names made to break out of generated code',
    'accepted',
    () => ({ properties: { '"];throw 1;//': {}, "'\u2028`${1}": {} } }),
  ],
];

const values: readonly Row[] = [
  ['a value 50 000 levels deep', 'failed', () => ({}), () => nested(50_000, (a) => [a])],
  ['the same under a recursive schema', 'failed', () => ({ items: { $ref: '#' } }), () => nested(50_000, (a) => [a])],
  ['a value at the depth limit', 'accepted', () => ({ items: { $ref: '#' } }), () => nested(99, (a) => [a])],
  ['a pattern that backtracks', 'failed', () => ({ pattern: slow }), () => attack],
  ['a property name that backtracks', 'failed', () => ({ propertyNames: { pattern: slow } }), () => ({ [attack]: 1 })],
  [
    'a patternProperties key that backtracks',
    'accepted',
    () => ({ patternProperties: { [slow]: false } }),
    () => ({ [attack]: 1 }),
  ],
  [
    'additionalProperties beside it',
    'failed',
    () => ({ patternProperties: { [slow]: {} }, additionalProperties: false }),
    () => ({ [attack]: 1 }),
  ],
  ['an anyOf bomb of 8^10', 'failed', () => bomb(10, 8, 'anyOf'), () => 1],
  ['a oneOf bomb of 2^24', 'failed', () => bomb(24, 2, 'oneOf'), () => 'x'],
  ['an allOf bomb of 2^24', 'failed', () => bomb(24, 2, 'allOf'), () => 'x'],
  ['a small bomb', 'accepted', () => bomb(8, 2, 'allOf'), () => 'x'],
  ['branching at every level of a value', 'failed', () => branching, () => nested(90, (a) => ({ a }))],
  ['900 branches for each of 100 000 items', 'failed', () => expensive, () => repeat(100_000, { index: -1 })],
  ['200 000 numbers', 'accepted', () => ({ items: { type: 'number' } }), () => numbers(200_000)],
  ['200 000 equal items', 'failed', () => ({ uniqueItems: true }), () => repeat(200_000, { a: 1 })],
  ['200 000 wrong items', 'failed', () => ({ items: { type: 'string' } }), () => numbers(200_000)],
  [
    '100 000 unknown properties',
    'failed',
    () => ({ properties: { a: {} }, additionalProperties: false }),
    () => mapOf(100_000, (index) => [`k${index}`, 1]),
  ],
  [
    'defaults that multiply',
    'failed',
    () => ({ properties: mapOf(12, (at) => [`p${at}`, { $ref: '#', default: {} }]) }),
    () => ({}),
  ],
  [
    'a value with an own __proto__',
    'accepted',
    () => ({ type: 'object' }),
    () => JSON.parse('{"__proto__": {"a": 1}}'),
  ],
  ['an object made to look like an empty array', 'failed', () => ({ enum: [[]] }), () => ({ length: 0 })],
  ['an object where an array is required', 'failed', () => ({ const: [1] }), () => ({ 0: 1, length: 1 })],
  ...['date-time', 'email', 'hostname', 'ipv6', 'uri', 'uri-reference', 'json-pointer', 'duration'].map(
    (format): Row => [
      `a million characters for ${format}`,
      'failed',
      () => ({ format }),
      () => `${'a@'.repeat(250_000)}${'1:'.repeat(250_000)} `,
    ],
  ),
];

export const hostileCases: readonly HostileCase[] = [...schemas, ...values].map(([name, outcome, schema, value]) => ({
  name,
  outcome,
  schema,
  value: value ?? (() => ({})),
}));

/** The outcome of a case. An error other than a refusal is thrown. */
export async function outcomeOf({ schema, value }: HostileCase): Promise<Outcome> {
  const made = definition(schema());
  if (made === undefined) return 'refused';
  const result = await made['~standard'].validate(value());
  return result.issues === undefined ? 'accepted' : 'failed';
}

function definition(schema: object): ReturnType<typeof fromJsonSchema> | undefined {
  try {
    return fromJsonSchema(schema);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'invalid-schema') return undefined;
    throw error;
  }
}
