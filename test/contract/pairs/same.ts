/** Changes that mean the same: a comparison must find none. */
import { forecast, integer, number, object, type Pair, text } from './pair.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Both as input and as output. */
const same = (title: string, before: Schema, after: Schema): Pair => ({
  title: `same: ${title}`,
  before: forecast({ input: before, output: before }),
  after: forecast({ input: after, output: after }),
  changes: [],
});

const field = (title: string, before: Schema, after: Schema): Pair =>
  same(title, object({ value: before }), object({ value: after }));

const place = object({ lat: number, lon: number }, ['lat', 'lon']);
const node = (ref: string): Schema => object({ value: text, next: { $ref: ref } }, ['value']);

export const sameMeaning: readonly Pair[] = [
  same('properties in another order', object({ a: text, b: number }, ['a', 'b']), {
    required: ['b', 'a'],
    properties: { b: number, a: text },
    type: 'object',
  }),
  same(
    'a schema moved to $defs',
    object({ from: place, to: place }),
    object({ from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place' } }, [], { $defs: { place } }),
  ),
  same(
    'a recursive schema under another name',
    object({ list: { $ref: '#/$defs/node' } }, [], { $defs: { node: node('#/$defs/node') } }),
    object({ list: { $ref: '#/$defs/entry' } }, [], { $defs: { entry: node('#/$defs/entry') } }),
  ),
  same(
    'a reference inside allOf',
    object({ from: { $ref: '#/$defs/place' } }, [], { $defs: { place } }),
    object({ from: { allOf: [{ $ref: '#/$defs/place' }] } }, [], { $defs: { place } }),
  ),
  same('an object split by allOf', object({ a: text, b: number }, ['a', 'b']), {
    type: 'object',
    allOf: [object({ a: text }, ['a']), object({ b: number }, ['b'])],
  }),
  field('alternatives in another order', { anyOf: [text, number] }, { anyOf: [number, text] }),
  field('a list of types instead of alternatives', { anyOf: [text, { type: 'null' }] }, { type: ['null', 'string'] }),
  field('oneOf of alternatives that exclude each other', { anyOf: [text, number] }, { oneOf: [text, number] }),
  field('const as an enum', { const: 'c' }, { enum: ['c'] }),
  field('enum in another order', { enum: ['c', 'f'] }, { type: 'string', enum: ['f', 'c'] }),
  field('both booleans as an enum', { type: 'boolean' }, { enum: [true, false] }),
  field('a bound of integers written otherwise', { ...integer, exclusiveMinimum: 0 }, { ...integer, minimum: 1 }),
  field('what is true of all values', { ...text, minLength: 0 }, text),
  field(
    'an unknown rule in another order',
    { ...text, not: { enum: ['a', 'b'] } },
    { not: { enum: ['b', 'a'] }, ...text },
  ),
];
