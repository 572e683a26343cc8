import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../lib/values/is.ts';
import { objectSchema } from './structured.ts';

const number = { type: 'number' };
const tree = { type: 'array', items: { $ref: '#' } };

describe('A schema that is wrapped into an object', () => {
  it.each<[string, Fields, unknown, unknown]>([
    ['definitions', { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: number } }, [1], ['a']],
    [
      'older definitions',
      { type: 'array', items: { $ref: '#/definitions/n' }, definitions: { n: number } },
      [1],
      ['a'],
    ],
    ['itself', tree, [[[]]], [['a']]],
    [
      'definitions below its id',
      { $id: 'https://a.example/list', type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: number } },
      [1],
      ['a'],
    ],
    ['itself below its id', { $id: 'https://a.example/tree', ...tree }, [[[]]], [['a']]],
    [
      'its id in full',
      {
        $id: 'https://a.example/n',
        type: 'array',
        items: { $ref: 'https://a.example/n#/$defs/n' },
        $defs: { n: number },
      },
      [1],
      ['a'],
    ],
    [
      'a part with an id of its own, which refers to itself',
      {
        type: 'array',
        items: { $ref: '#/$defs/tree' },
        $defs: {
          tree: { $id: 'https://a.example/part', type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: number } },
        },
      },
      [[1]],
      [['a']],
    ],
  ])('still refers to %s', (_what, schema, right, wrong) => {
    const check = new Ajv2020({ strict: false }).compile(objectSchema(schema));
    expect([check({ value: right }), check({ value: wrong }), check(right)]).toEqual([true, false, false]);
  });

  it('says what dialect it is in at its root, and stays as it is where it is of an object', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(objectSchema({ $schema, $id: 'https://a.example/list', ...tree })).toMatchObject({
      $schema,
      type: 'object',
    });
    const object = { $id: 'https://a.example/o', type: 'object' };
    expect(objectSchema(object)).toBe(object);
  });
});
