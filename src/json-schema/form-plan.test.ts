import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkValue, type FormField, initialValue, optionOf, planForm, readText, shownText } from './form-plan.ts';

/** The field of one property. */
function field(schema: unknown, more: object = {}): FormField {
  const plan = planForm({ type: 'object', properties: { it: schema }, ...more });
  const [inner] = plan.kind === 'object' ? plan.fields() : [];
  if (inner === undefined) throw new Error('no field');
  return inner;
}

const messages = (plan: FormField, value: unknown): string[] =>
  checkValue(plan, value).map(({ path, message }) => [path.join('.'), message].join(' ').trim());

describe('the plan of a form', () => {
  it.each<[string, unknown, object]>([
    ['text', { type: 'string', title: 'It', minLength: 2 }, { kind: 'text', label: 'It', minLength: 2 }],
    ['a secret text', { type: 'string', format: 'password' }, { kind: 'text', isSecret: true }],
    ['a number', { type: 'integer', minimum: 1, default: 3 }, { kind: 'number', isInteger: true, suggested: 3 }],
    ['true or false', { type: 'boolean', description: 'Why' }, { kind: 'boolean', description: 'Why' }],
    ['one value', { const: 'circle' }, { kind: 'fixed', value: 'circle' }],
    ['values', { enum: ['a', 'b', 3] }, { kind: 'choice', choices: [{ label: 'a' }, { label: 'b' }, { label: '3' }] }],
    [
      'values with names',
      { enum: ['a', 'b'], enumNames: ['Apple', 'Bear'] },
      { choices: [{ value: 'a', label: 'Apple' }, {}] },
    ],
    [
      'titled values',
      { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] },
      { kind: 'choice', choices: [{ label: 'One' }, { label: '2' }] },
    ],
    ['a list of values', { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }, { kind: 'choices', minItems: 1 }],
    [
      'a list of titled values',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] } },
      { kind: 'choices' },
    ],
    ['a list', { type: 'array', items: { type: 'number' } }, { kind: 'list', item: { kind: 'number' } }],
    [
      'values and null',
      { enum: ['a', null, 'b'] },
      { kind: 'choice', isNullable: true, choices: [{ value: 'a' }, { value: 'b' }] },
    ],
    ['a type and null', { type: ['string', 'null'] }, { kind: 'text', isNullable: true }],
    [
      'a schema or null',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
      { kind: 'number', isNullable: true },
    ],
    [
      'types',
      { type: ['string', 'integer'] },
      { kind: 'union', options: [{ label: 'text' }, { label: 'whole number' }] },
    ],
    ['anything', {}, { kind: 'json', reason: 'any value is allowed' }],
    ['true', true, { kind: 'json' }],
    ['any object', { type: 'object' }, { kind: 'json', reason: 'any object is allowed' }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, { kind: 'json' }],
    ['a keyword of an unnamed type', { minLength: 2 }, { kind: 'text' }],
    [
      'two schemas',
      {
        allOf: [
          { type: 'number', minimum: 1 },
          { minimum: 2, title: 'N' },
        ],
      },
      { kind: 'number', minimum: 2, label: 'N' },
    ],
    [
      'schemas that exclude each other',
      { allOf: [{ type: 'number' }, { type: 'string' }] },
      { kind: 'json', reason: 'no value is allowed' },
    ],
    [
      'unions of unions',
      { allOf: [{ anyOf: [{}, {}] }, { anyOf: [{}, {}, {}] }] },
      { kind: 'json', reason: 'several schemas have anyOf' },
    ],
    [
      'a reference to nowhere',
      { $ref: 'https://example.com/x' },
      { kind: 'json', reason: expect.stringContaining('not found') },
    ],
  ])('has for %s the field that fits', (_, schema, expected) => {
    expect(field(schema)).toMatchObject(expected);
  });

  it('follows references, with the description that stands beside one', () => {
    const more = { $defs: { 'a/b': { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } } };
    const found = field({ $ref: '#/$defs/a~1b', description: 'A point' }, { ...more, required: ['it'] });
    expect(found).toMatchObject({ kind: 'object', description: 'A point', isRequired: true });
    expect(found.kind === 'object' && found.fields()).toMatchObject([{ name: 'x', kind: 'number', isRequired: true }]);
  });

  it('names the options of a union by title, by tag, or by what they have', () => {
    const tagged = (value: string) => ({
      type: 'object',
      properties: { kind: { const: value }, size: { type: 'number' } },
    });
    const found = field({
      oneOf: [
        tagged('circle'),
        { ...tagged('square'), title: 'A square' },
        { type: 'object', properties: { a: {}, b: {} } },
      ],
    });
    expect(found).toMatchObject({
      kind: 'union',
      options: [{ label: 'circle' }, { label: 'A square' }, { label: 'object with a, b' }],
    });
    expect(found.kind === 'union' && optionOf(found, { kind: 'square', size: 1 })).toBe(1);
  });

  it('shows the fields of an object whose options only say which belong together', () => {
    const plan = planForm({
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    });
    expect(plan.kind === 'object' && plan.fields().map(({ name }) => name)).toEqual(['id', 'name']);
  });

  it('has a field for further names where the schema allows them', () => {
    const scores = field({ type: 'object', additionalProperties: { type: 'number' } });
    expect(scores.kind === 'object' && scores.more?.()).toMatchObject({ kind: 'number' });
    const when = field({ type: 'object', properties: { a: {} }, if: { required: ['a'] } });
    expect(when.kind === 'object' && when.more?.()).toMatchObject({ kind: 'json' });
    const closed = field({ type: 'object', properties: { a: {} }, additionalProperties: false });
    expect(closed.kind === 'object' && closed.more).toBeUndefined();
  });

  it('plans a schema that is inside itself as far as it is opened', () => {
    const tree = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    };
    const plan = planForm(tree);
    const inner = plan.kind === 'object' ? plan.fields()[1] : undefined;
    expect(inner).toMatchObject({ kind: 'list', item: { kind: 'object' } });
    expect(messages(plan, { children: [{ name: 'a', children: [{ name: 1 }] }] })).toEqual([
      'children.0.children.0.name expected text',
    ]);
  });

  it.each([
    ['a reference to itself', { $ref: '#' }],
    ['a circle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['a list of lists of itself', { type: 'array', items: { $ref: '#' } }],
    ['an object that requires itself', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
    ['twice as many parts at each step', doubling(60)],
    ['no schema', 'text'],
    ['null', null],
  ])('has an end for %s', (_, schema) => {
    const plan = planForm(schema);
    expect(() => JSON.stringify(initialValue(plan))).not.toThrow();
  });

  it('never reads or sets inherited names', () => {
    const plan = planForm(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","default":"x"}}}'));
    expect(Object.hasOwn(initialValue(plan) as object, '__proto__')).toBe(true);
    expect(messages(planForm({ type: 'object', properties: { toString: {} }, required: ['toString'] }), {})).toEqual([
      'toString is required',
    ]);
  });

  it('imports no package, so that a page can bundle it', () => {
    const seen = new Set<string>();
    const visit = (url: URL): void => {
      if (seen.has(url.href)) return;
      seen.add(url.href);
      for (const [, specifier = ''] of readFileSync(url, 'utf8').matchAll(/ from '([^']+)';/g)) {
        expect(specifier, `an import of ${url.pathname}`).toMatch(/^\.\.?\//);
        visit(new URL(specifier, url));
      }
    };
    visit(new URL('./form-plan.ts', import.meta.url));
    expect(seen.size).toBeGreaterThan(5);
  });
});

function doubling(steps: number): object {
  const defs = Object.fromEntries(
    Array.from({ length: steps }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  return { $ref: '#/$defs/d0', $defs: { ...defs, [`d${steps}`]: { type: 'string' } } };
}

describe('the values of a form', () => {
  it('begins with suggested and fixed values, in required objects too', () => {
    const plan = planForm({
      type: 'object',
      properties: {
        unit: { enum: ['C', 'F'], default: 'C' },
        maybe: { type: ['string', 'null'], default: null },
        shape: { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind'] },
        other: { type: 'object', properties: { x: { type: 'number', default: 1 } } },
      },
      required: ['shape'],
    });
    expect(initialValue(plan)).toEqual({ unit: 'C', shape: { kind: 'circle' } });
  });

  it.each<[unknown, string, object]>([
    [{ type: 'string' }, '12', { value: '12' }],
    [{ type: 'number' }, ' 12.5', { value: 12.5 }],
    [{ type: 'number' }, '', { problem: 'expected a number' }],
    [{ type: 'integer' }, '1.5', { problem: 'expected a whole number' }],
    [{ type: 'number', exclusiveMinimum: 0 }, '0', { problem: 'expected more than 0' }],
    [{ type: 'number', multipleOf: 0.1 }, '0.3', { value: 0.3 }],
    [{ type: 'number', multipleOf: 2 }, '3', { problem: 'expected a multiple of 2' }],
    [{ type: ['integer', 'null'] }, 'null', { value: null }],
    [{ type: 'string', format: 'date' }, '2026-02-30', { problem: 'expected date, such as 1999-12-31' }],
    [{ type: 'string', format: 'email' }, 'ada@example.com', { value: 'ada@example.com' }],
    [{ type: 'string', maxLength: 1 }, '😀', { value: '😀' }],
    [{ type: 'string', minLength: 2 }, 'a', { problem: 'expected at least 2 characters' }],
    [{ type: 'boolean' }, 'true', { value: true }],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two' },
        ],
      },
      'Two',
      { value: 2 },
    ],
    [{ enum: ['a', 'b'] }, 'c', { problem: 'expected one of a, b' }],
    [{}, '{"a":[1]}', { value: { a: [1] } }],
    [{}, '{', { problem: 'expected JSON' }],
    [{ type: 'array', items: { type: 'number' } }, '[1,"2"]', { problem: '1: expected a number' }],
  ])('%j reads %j', (schema, text, expected) => {
    expect(readText(field(schema), text)).toEqual(expected);
  });

  it('shows a value as the text that is read as the same value', () => {
    for (const [schema, value] of [
      [{ type: 'string' }, 'a "b"'],
      [{ type: 'number' }, 1.5],
      [{}, { a: [null] }],
    ] as const) {
      const plan = field(schema);
      expect(readText(plan, shownText(plan, value))).toEqual({ value });
    }
  });

  it('names the place of everything that is wrong', () => {
    const plan = planForm({
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 2 },
        shape: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'circle' }, r: { type: 'number' } },
              required: ['kind', 'r'],
            },
            { type: 'object', properties: { kind: { const: 'none' } }, required: ['kind'] },
          ],
        },
      },
      required: ['name'],
    });
    expect(messages(plan, { tags: ['a', 'a', 'b'], shape: { kind: 'circle', r: 'x' } })).toEqual([
      'name is required',
      'tags expected at most 2',
      'shape.r expected a number',
    ]);
    expect(messages(plan, { name: 'x', tags: ['a', 'a'], shape: { kind: 'none' } })).toEqual([
      'tags expected no value twice',
    ]);
  });
});
