/** Arguments are read by the types of the schema, the items of lists too. */
import { describe, expect, it } from 'vitest';
import { callArguments } from './call-arguments.ts';

const list = (type?: string) => ({ type: 'array', ...(type !== undefined && { items: { type } }) });
const schema = {
  properties: {
    numbers: list('integer'),
    flags: list('boolean'),
    texts: list('string'),
    any: list(),
    rows: list('object'),
  },
};

describe('a list', () => {
  it.each([
    ['numbers=1,2', { numbers: [1, 2] }],
    ['numbers=', { numbers: [] }],
    ['numbers=[3]', { numbers: [3] }],
    ['flags=true,false', { flags: [true, false] }],
    ['texts=1,b', { texts: ['1', 'b'] }],
    ['any=1,b', { any: ['1', 'b'] }],
  ])('%s has items of the type that the schema has [S31]', (word, expected) => {
    expect(callArguments({ words: [word] }, schema)).toEqual(expected);
  });

  it.each([
    ['numbers=1,x', /numbers cannot be "x": it must be integer/],
    ['rows=a,b', /rows must be an object/],
  ])('%s is refused', (word, message) => {
    expect(() => callArguments({ words: [word] }, schema)).toThrow(message);
  });
});

describe('a misspelt name', () => {
  const city = { type: 'object', properties: { city: { type: 'string' }, at: { properties: { street: {} } } } };
  it.each([
    ['cty=Oslo', 'There is no argument cty. Did you mean city?'],
    ['at.stret=x', 'There is no argument at.stret. Did you mean at.street?'],
  ])('%s is refused with the right one', (word, message) => {
    expect(() => callArguments({ words: [word] }, city)).toThrow(message);
  });

  it('is sent where no name is near, where the schema takes others, and with --args', () => {
    expect(callArguments({ words: ['country=no'] }, city)).toEqual({ country: 'no' });
    expect(callArguments({ words: ['cty=Oslo'] }, { ...city, additionalProperties: true })).toEqual({ cty: 'Oslo' });
    expect(callArguments({ words: [], json: '{"cty":"Oslo"}' }, city)).toEqual({ cty: 'Oslo' });
  });
});
