/** Lowering: what each target gets, and what the report says about it. */
import { describe, expect, it } from 'vitest';
import { type LoweredSchema, lowerSchema } from './lower-schema.ts';
import { withoutUnsetNulls } from './nulls.ts';
import type { SchemaTarget } from './report.ts';

function lowered(schema: object, target: SchemaTarget = 'any'): LoweredSchema {
  const result = lowerSchema(schema, target);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}
const problem = (schema: unknown) => lowerSchema(schema as object, 'any');
const text = { type: 'string' };

describe('lowering for every target', () => {
  it('leaves a plain object as it is, without a report', () => {
    const schema = { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false };
    for (const target of ['any', 'anthropic', 'openai'] as const)
      expect(lowered(schema, target)).toEqual({ schema, changes: [], isStrict: false });
  });

  it('gives an array items, and the root properties: OpenAI refuses a request without them', () => {
    const list = { type: ['array', 'null'] };
    const { schema, changes } = lowered({
      type: 'object',
      properties: { list, pair: { type: 'array', prefixItems: [text] } },
    });
    expect(schema.properties).toEqual({
      list: { ...list, items: {} },
      pair: { type: 'array', prefixItems: [text], items: {} },
    });
    expect(changes.map(({ path, rule, losesValues }) => [path, rule, losesValues])).toEqual([
      ['/properties/list', 'keyword-added', false],
      ['/properties/pair', 'keyword-added', false],
    ]);
    // Otherwise no item would be left that is not evaluated.
    const closed = { type: 'array', prefixItems: [text], unevaluatedItems: false };
    expect(lowered({ type: 'object', properties: { closed } }).schema.properties).toEqual({ closed });
    expect(lowered({ type: 'object' })).toEqual({
      schema: { type: 'object', properties: {} },
      changes: [],
      isStrict: false,
    });
  });

  it('merges a union at the root: what all alternatives require is required', () => {
    const schema = {
      type: 'object',
      oneOf: [
        {
          properties: { kind: { const: 'file' }, path: text },
          required: ['kind', 'path'],
          additionalProperties: false,
        },
        { properties: { kind: { const: 'url' }, url: text }, required: ['kind', 'url'], additionalProperties: false },
      ],
    };
    const { schema: merged, changes } = lowered(schema);
    expect(merged).toEqual({
      type: 'object',
      properties: { kind: { anyOf: [{ const: 'file' }, { const: 'url' }] }, path: text, url: text },
      required: ['kind'],
      additionalProperties: false,
      description: '(one of these: kind, path; kind, url)',
    });
    expect(changes.map(({ rule, losesValues }) => [rule, losesValues])).toEqual([['root-merged', false]]);
  });

  it('reports an argument that only some open alternatives have', () => {
    const anyOf = [{ properties: { a: text } }, { properties: { b: text } }];
    const { changes } = lowered({ type: 'object', anyOf });
    expect(changes.filter(({ losesValues }) => losesValues).map(({ text }) => text)).toEqual([
      'a has its type also where only other alternatives have it.',
      'b has its type also where only other alternatives have it.',
    ]);
  });

  it('requires of three alternatives only what all of them require', () => {
    const [a, b] = [{ a: text }, { a: text, b: text }];
    const anyOf = [
      { properties: b, required: ['a', 'b'] },
      { properties: b, required: ['b', 'a'] },
      { properties: a, required: ['a'] },
    ];
    expect(lowered({ type: 'object', anyOf }).schema).toMatchObject({ required: ['a'] });
  });

  it('resolves references and intersections at the root, and keeps the references inside', () => {
    const { schema } = lowered({
      $ref: '#/$defs/Args',
      $defs: {
        Args: { allOf: [{ $ref: '#/$defs/Base' }, { properties: { next: { $ref: '#/allOf/0' } } }], type: 'object' },
        Base: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
    });
    expect(schema).toMatchObject({ type: 'object', required: ['id'], properties: { id: { type: 'integer' } } });
    expect(schema).not.toHaveProperty('$ref');
  });

  it('gives a reference into a merged union a definition of its own', () => {
    const { schema } = lowered({
      type: 'object',
      anyOf: [{ properties: { a: text, again: { $ref: '#/anyOf/0/properties/a' } } }],
    });
    expect(schema.properties).toMatchObject({ again: { $ref: '#/$defs/place-1' } });
    expect(schema.$defs).toEqual({ 'place-1': text });
  });

  it('writes forms of older drafts as they are written today', () => {
    const { schema } = lowered({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        pair: { type: 'array', items: [text, { type: 'number' }], additionalItems: false },
        over: { type: 'number', minimum: 1, exclusiveMinimum: true },
        hidden: { $ref: '#/definitions/a', minLength: 3, description: 'A text' },
        any: true,
        none: false,
      },
      definitions: { a: text },
    });
    expect(schema.properties).toEqual({
      pair: { type: 'array', prefixItems: [text, { type: 'number' }], items: false },
      over: { type: 'number', exclusiveMinimum: 1 },
      hidden: { $ref: '#/definitions/a', description: 'A text' },
      any: {},
      none: { not: {} },
    });
    expect(schema).not.toHaveProperty('$schema');
  });

  it('removes a reference to another document', () => {
    const { schema, changes } = lowered({ type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } });
    expect(schema.properties).toEqual({ a: { description: '(as in https://example.com/a.json)' } });
    expect(changes).toMatchObject([{ path: '/properties/a/$ref', rule: 'reference-removed' }]);
  });

  it.each([
    ['is no object', [], 'must be an object'],
    ['has another type', { type: 'string' }, 'must have the type "object"'],
    ['has an unknown type', { type: 'object', properties: { a: { type: 'str' } } }, '/properties/a has the type "str"'],
    ['has a wrong keyword', { type: 'object', properties: { a: { enum: [] } } }, '/properties/a has enum'],
    ['has a property that is no schema', { type: 'object', properties: { a: 1 } }, '/properties/a must be a schema'],
    ['is too long', { type: 'object', description: 'x'.repeat(200_001) }, 'over 200000 characters'],
    [
      'is too deep',
      Array.from({ length: 45 }).reduce<object>((inner) => ({ type: 'object', properties: { a: inner } }), text),
      'deeper than 40 levels',
    ],
  ])('names the problem of a schema that %s', (_what, schema, words) => {
    expect(problem(schema)).toEqual({ problem: expect.stringContaining(words) });
  });

  it('ends for a schema that contains itself', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema.properties = { a: schema };
    expect(problem(schema)).toEqual({ problem: expect.stringContaining('deeper') });
  });
});

describe('lowering for one target', () => {
  it('leaves out an argument whose name Anthropic refuses, and the tool if it is required', () => {
    const properties = { 'a b': text, c: text };
    const { schema, changes } = lowered({ type: 'object', properties }, 'anthropic');
    expect(schema.properties).toEqual({ c: text });
    expect(changes).toMatchObject([{ path: '/properties/a b', rule: 'argument-removed', losesValues: true }]);
    expect(lowerSchema({ type: 'object', properties, required: ['a b'] }, 'anthropic')).toHaveProperty('problem');
  });

  it('replaces oneOf for OpenAI, and describes what could refuse more', () => {
    const properties = { a: { oneOf: [text, { type: 'null' }] }, b: { ...text, not: { const: 'x' } } };
    const { schema } = lowered({ type: 'object', properties }, 'openai');
    expect(schema.properties).toEqual({
      a: { anyOf: [text, { type: 'null' }] },
      b: { ...text, description: '(not: {"const":"x"})' },
    });
  });

  it('closes objects in strict mode, requires everything, and makes optional arguments nullable', () => {
    const properties = { a: { ...text, minLength: 2 }, b: { type: 'object', properties: { c: text } } };
    const { schema, isStrict } = lowered({ type: 'object', properties, required: ['a'] }, 'openai-strict');
    expect(isStrict).toBe(true);
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { ...text, description: '(minLength: 2)' },
        b: {
          type: ['object', 'null'],
          properties: { c: { type: ['string', 'null'] } },
          required: ['c'],
          additionalProperties: false,
        },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it.each([
    ['a record', { a: { type: 'object', additionalProperties: text } }],
    ['any value', { a: {} }],
    ['items of any kind', { a: { type: 'array', items: {} } }],
    ['an intersection', { a: { ...text, allOf: [text] } }],
    ['a tuple', { a: { type: 'array', prefixItems: [text], items: text } }],
    ['names by pattern', { a: { type: 'object', patternProperties: { '^x': text }, additionalProperties: false } }],
  ])('has no strict form for %s, and says so', (_what, properties) => {
    const { isStrict, changes, schema } = lowered({ type: 'object', properties }, 'openai-strict');
    expect([isStrict, changes.at(-1)?.rule]).toEqual([false, 'not-strict']);
    expect(schema.properties).toEqual(properties);
  });

  it('inlines references for Gemini, and ends a recursion', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { type: ['string', 'null'] } } };
    const { schema } = lowered(
      { type: 'object', properties: { a: { $ref: '#/$defs/node' } }, $defs: { node } },
      'google',
    );
    const written = JSON.stringify(schema);
    expect(written).not.toContain('$ref');
    expect(written.match(/"next"/g)).toHaveLength(5);
    expect(written).toContain('"name":{"anyOf":[{"type":"string"},{"type":"null"}]}');
  });

  it('requires of Gemini only what has a property, and gives it items for every array and a type for every enum', () => {
    const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    const { schema } = lowered(
      {
        type: 'object',
        properties: {
          list: { type: 'array' },
          pair: { type: 'array', prefixItems: [text], items: false },
          untyped: { enum: ['a', 'b'] },
          empty: { ...text, enum: ['', 'a'] },
          one: { type: 'object', properties: { a: text, b: text }, ...either },
        },
        required: ['list', 'lost'],
      },
      'google',
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {
        list: { type: 'array', items: {} },
        pair: { type: 'array', items: {}, description: '(prefixItems: [{"type":"string"}])' },
        untyped: { ...text, enum: ['a', 'b'] },
        empty: { ...text, description: '(enum: ["","a"])' },
        one: {
          type: 'object',
          properties: { a: text, b: text },
          description: '(anyOf: [{"required":["a"]},{"required":["b"]}])',
        },
      },
      required: ['list'],
    });
  });
});

describe('nulls in arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      a: text,
      b: { type: ['string', 'null'] },
      c: { anyOf: [{ type: 'object', properties: { d: text } }, text] },
      e: { type: 'array', items: { $ref: '#/properties/c/anyOf/0' } },
    },
    required: ['f'],
  };

  it('are removed where the property is optional and accepts none', () => {
    const value = { a: null, b: null, c: { d: null }, e: [{ d: null }], f: null, g: null };
    expect(withoutUnsetNulls(value, schema)).toEqual({ b: null, c: {}, e: [{}], f: null, g: null });
  });
});
