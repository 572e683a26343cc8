/** Changes of what a tool returns: it may only become less. */
import { type Expected, forecast, integer, number, object, type Pair, text } from './pair.ts';

type Schema = Readonly<Record<string, unknown>>;

const pair = (
  title: string,
  before: Schema | undefined,
  after: Schema | undefined,
  ...changes: readonly Expected[]
): Pair => ({
  title: `output: ${title}`,
  before: forecast(before === undefined ? {} : { output: before }),
  after: forecast(after === undefined ? {} : { output: after }),
  changes,
});

/** A pair whose tool returns one field. */
const field = (title: string, before: Schema, after: Schema, ...changes: readonly Expected[]): Pair =>
  pair(title, object({ value: before }, ['value']), object({ value: after }, ['value']), ...changes);

const at = 'tool forecast output.value';
const closed = { additionalProperties: false };

export const outputs: readonly Pair[] = [
  pair('schema added', undefined, object({ value: number }), ['safe', 'tool forecast output']),
  pair('schema removed', object({ value: number }), undefined, [
    'breaks',
    'tool forecast output',
    'read `structuredContent`',
  ]),
  pair('field added', object({ a: text }), object({ a: text, b: text }), ['safe', 'tool forecast output.b']),
  pair(
    'field added where others were excluded',
    object({ a: text }, [], closed),
    object({ a: text, b: text }, [], closed),
    ['breaks', 'tool forecast output.b', 'validate with the earlier schema, which has no `b`'],
  ),
  pair('required field removed', object({ a: text, b: text }, ['a', 'b']), object({ a: text }, ['a']), [
    'breaks',
    'tool forecast output.b',
    'read `b`',
  ]),
  // Callers expect that it may be missing; now it always is.
  pair('optional field removed', object({ a: text, b: text }, ['a']), object({ a: text }, ['a']), [
    'review',
    'tool forecast output.b',
    'read `b`',
  ]),
  pair('required field became optional', object({ a: text }, ['a']), object({ a: text }), [
    'breaks',
    'tool forecast output.a',
    'read `a`',
  ]),
  pair('optional field became required', object({ a: text }), object({ a: text }, ['a']), [
    'safe',
    'tool forecast output.a',
  ]),
  field('type widened', integer, number, ['breaks', at, 'do not expect a fraction in `value`']),
  field('type narrowed', number, integer, ['safe', at]),
  field('null added', number, { type: ['number', 'null'] }, ['breaks', at, 'do not expect null in `value`']),
  field('enum member added', { enum: ['c', 'f'] }, { enum: ['c', 'f', 'k'] }, [
    'breaks',
    at,
    'do not expect "k" in `value`',
  ]),
  field('enum member removed', { enum: ['c', 'f', 'k'] }, { enum: ['c', 'f'] }, ['safe', at]),
  field('format added', text, { ...text, format: 'date' }, ['safe', at]),
  field('format removed', { ...text, format: 'date' }, text, ['undecided', at]),
  field('minimum raised', { ...integer, minimum: 0 }, { ...integer, minimum: 1 }, ['safe', at]),
  field('maxLength raised', { ...text, maxLength: 10 }, { ...text, maxLength: 20 }, [
    'breaks',
    at,
    'do not expect more than 10 characters in `value`',
  ]),
  field('description reworded', { ...text, description: 'Degrees' }, { ...text, description: 'How warm' }, [
    'review',
    at,
  ]),
  field(
    'field of items removed',
    { type: 'array', items: object({ day: text, high: number }, ['day', 'high']) },
    { type: 'array', items: object({ day: text }, ['day']) },
    ['breaks', `${at}[].high`, 'read `value[].high`'],
  ),
];
