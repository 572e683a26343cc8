/** Changes of what a tool takes: it may only become more. */
import { type Expected, forecast, integer, number, object, type Pair, text } from './pair.ts';

type Schema = Readonly<Record<string, unknown>>;

const pair = (title: string, before: Schema, after: Schema, ...changes: readonly Expected[]): Pair => ({
  title: `input: ${title}`,
  before: forecast({ input: before }),
  after: forecast({ input: after }),
  changes,
});

/** A pair whose tool takes one optional field. */
const field = (title: string, before: Schema, after: Schema, ...changes: readonly Expected[]): Pair =>
  pair(title, object({ value: before }), object({ value: after }), ...changes);

const at = 'tool forecast input.value';
const closed = { additionalProperties: false };

export const inputs: readonly Pair[] = [
  pair('optional field added', object({ city: text }), object({ city: text, unit: text }), [
    'safe',
    'tool forecast input.unit',
  ]),
  pair('required field added', object({ city: text }), object({ city: text, unit: text }, ['unit']), [
    'breaks',
    'tool forecast input.unit',
    'omit `unit`',
  ]),
  pair('optional field became required', object({ city: text }), object({ city: text }, ['city']), [
    'breaks',
    'tool forecast input.city',
    'omit `city`',
  ]),
  pair('required field became optional', object({ city: text }, ['city']), object({ city: text }), [
    'safe',
    'tool forecast input.city',
  ]),
  pair(
    'field removed where others are refused',
    object({ city: text, unit: text }, [], closed),
    object({ city: text }, [], closed),
    ['breaks', 'tool forecast input.unit', 'send `unit`'],
  ),
  // It is accepted, and whether it has an effect is not known.
  pair('field removed where others are accepted', object({ city: text, unit: text }), object({ city: text }), [
    'undecided',
    'tool forecast input.unit',
    'send `unit`',
  ]),
  pair('other fields refused', object({ city: text }), object({ city: text }, [], closed), [
    'breaks',
    'tool forecast input',
    'send other fields',
  ]),
  pair('other fields accepted', object({ city: text }, [], closed), object({ city: text }), [
    'safe',
    'tool forecast input',
  ]),
  field('type widened', integer, number, ['safe', at]),
  field('type narrowed', number, integer, ['breaks', at, 'send a fraction as `value`']),
  field('type changed', text, integer, ['breaks', at, 'send a string as `value`']),
  field('null accepted', text, { type: ['string', 'null'] }, ['safe', at]),
  field('enum member added', { enum: ['c', 'f'] }, { enum: ['c', 'f', 'k'] }, ['safe', at]),
  field('enum member removed', { enum: ['c', 'f', 'k'] }, { enum: ['c', 'f'] }, ['breaks', at, 'send "k" as `value`']),
  field('const became an enum with more', { const: 'c' }, { enum: ['c', 'f'] }, ['safe', at]),
  field('default changed', { type: 'string', default: 'c' }, { type: 'string', default: 'f' }, [
    'review',
    at,
    'omit `value`',
  ]),
  field('description reworded', { ...text, description: 'The city' }, { ...text, description: 'A town' }, [
    'review',
    at,
  ]),
  field('pattern changed', { ...text, pattern: '^[A-Z]{3}$' }, { ...text, pattern: '^[A-Z]{3,4}$' }, ['undecided', at]),
  field('pattern added', text, { ...text, pattern: '^[A-Z]{3}$' }, [
    'breaks',
    at,
    'send what does not match ^[A-Z]{3}$ as `value`',
  ]),
  field('pattern added that all members match', { enum: ['AB', 'CD'] }, { ...text, pattern: '^[A-Z]{2}$' }, [
    'safe',
    at,
  ]),
  field('pattern removed', { ...text, pattern: '^[A-Z]{3}$' }, text, ['safe', at]),
  field('format added', text, { ...text, format: 'date' }, ['undecided', at]),
  field('minimum raised', { ...integer, minimum: 0 }, { ...integer, minimum: 1 }, [
    'breaks',
    at,
    'send less than 1 as `value`',
  ]),
  field('maxLength lowered', { ...text, maxLength: 20 }, { ...text, maxLength: 10 }, [
    'breaks',
    at,
    'send more than 10 characters as `value`',
  ]),
  field('fewer items accepted', { type: 'array', items: text }, { type: 'array', items: text, maxItems: 5 }, [
    'breaks',
    at,
    'send more than 5 items as `value`',
  ]),
  field('items narrowed', { type: 'array', items: number }, { type: 'array', items: integer }, [
    'breaks',
    'tool forecast input.value[]',
    'send a fraction as `value[]`',
  ]),
  pair(
    'required field added inside',
    object({ from: object({ lat: number }, ['lat']) }),
    object({ from: object({ lat: number, lon: number }, ['lat', 'lon']) }),
    ['breaks', 'tool forecast input.from.lon', 'omit `from.lon`'],
  ),
  field(
    'oneOf of overlapping alternatives instead of anyOf',
    {
      anyOf: [
        { ...text, minLength: 2 },
        { ...text, maxLength: 9 },
      ],
    },
    {
      oneOf: [
        { ...text, minLength: 2 },
        { ...text, maxLength: 9 },
      ],
    },
    ['undecided', at],
  ),
  field(
    'anyOf instead of oneOf',
    {
      oneOf: [
        { ...text, minLength: 2 },
        { ...text, maxLength: 9 },
      ],
    },
    {
      anyOf: [
        { ...text, minLength: 2 },
        { ...text, maxLength: 9 },
      ],
    },
    ['safe', at],
  ),
  field('variant added', { anyOf: [variant('a', {})] }, { anyOf: [variant('a', {}), variant('b', {})] }, ['safe', at]),
  field(
    'required field added to one of the variants',
    { oneOf: [variant('a', {}), variant('b', {})] },
    { oneOf: [variant('a', {}), variant('b', { n: number }, ['n'])] },
    ['breaks', `${at}.n`, 'omit `value.n`'],
  ),
  field(
    'rule that is not compared',
    object({ a: text, b: text }),
    { ...object({ a: text, b: text }), not: { required: ['a', 'b'] } },
    ['undecided', at],
  ),
];

function variant(kind: string, properties: Schema, required: readonly string[] = []): Schema {
  return object({ kind: { const: kind }, ...properties }, ['kind', ...required]);
}
