import { describe, expect, it } from 'vitest';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { issuesText } from '../schema/issues.ts';
import { readSchema } from '../schema/reading.ts';
import { fromJsonSchema } from './json-schema.ts';

/** The result in short: the value, or the issues as text. */
function judge(schema: object | boolean, value: unknown): { value: unknown } | string {
  const result = readSchema(fromJsonSchema(schema), 'test').validate(value);
  if (result instanceof Promise) throw new Error('a plain schema answers at once');
  return result.ok ? { value: result.value } : issuesText(result.issues);
}

/** The pointer of a refusal. */
function refusedAt(schema: object): unknown {
  try {
    fromJsonSchema(schema);
  } catch (error) {
    if (error instanceof TenonError && error.code === 'invalid-schema' && error.hint !== undefined) {
      return error.details['pointer'];
    }
    throw error;
  }
  throw new Error('the schema was accepted');
}

const draft07 = 'http://json-schema.org/draft-07/schema#';

describe('fromJsonSchema()', () => {
  const forecast = {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1 },
      days: { type: 'integer', minimum: 1, maximum: 14, default: 3 },
      unit: { enum: ['celsius', 'fahrenheit'], default: 'celsius' },
      from: { type: 'string', format: 'date' },
    },
    required: ['city'],
    additionalProperties: false,
  };

  it('is a schema that shows itself as it was written', () => {
    const reading = readSchema(fromJsonSchema(forecast), 'test');
    expect(reading.jsonSchema.input).toEqual(forecast);
    expect(reading.jsonSchema.output).toEqual(forecast);
  });

  it('honours enum, default, format, minimum and maximum [S40]', () => {
    expect(judge(forecast, { city: 'Oslo' })).toEqual({ value: { city: 'Oslo', days: 3, unit: 'celsius' } });
    expect(judge(forecast, { city: 'Oslo', days: 0 })).toBe('days: must be >= 1');
    expect(judge(forecast, { city: 'Oslo', days: 15 })).toBe('days: must be <= 14');
    expect(judge(forecast, { city: 'Oslo', unit: 'kelvin' })).toBe('unit: expected one of "celsius", "fahrenheit"');
    expect(judge(forecast, { city: 'Oslo', from: '2025-02-30' })).toBe('from: expected a text in the format date');
  });

  it('says what is wrong so that a model can correct its call', () => {
    expect(judge(forecast, { town: 'Oslo', days: 'two' })).toBe(
      'city: is required; town: is not an allowed property; days: expected integer, got string',
    );
    expect(judge({ items: { properties: { 'a/b': { type: 'string' } } } }, [{}, { 'a/b': null }])).toBe(
      '[1]["a/b"]: expected string, got null',
    );
  });

  it('bounds what it says', () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 'x'.repeat(100)]));
    const long = { enum: Array.from({ length: 500 }, (_, index) => `${index}`.repeat(50)) };
    expect(String(judge({ additionalProperties: false }, wide)).length).toBeLessThan(700);
    expect(String(judge(long, wide)).length).toBeLessThan(300);
    expect(String(judge({ pattern: `^${'x'.repeat(900)}$` }, 'y')).length).toBeLessThan(200);
  });

  it('is not changed by later changes to the object it was made from', () => {
    const schema = { type: 'string' };
    const made = fromJsonSchema(schema);
    schema.type = 'number';
    expect(made['~standard'].validate('text')).toEqual({ value: 'text' });
    expect(made['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual({ type: 'string' });
  });

  it('takes boolean schemas', () => {
    expect(judge(true, 1)).toEqual({ value: 1 });
    expect(judge(false, 1)).toBe('is not allowed here');
    expect(readSchema(fromJsonSchema(false), 'test').jsonSchema.input).toEqual({ not: {} });
  });
});

describe('defaults', () => {
  it('are filled in below properties, references, items and allOf, and the input stays as it was', () => {
    const schema = {
      $defs: { point: { properties: { x: { default: 0 }, y: { default: null } } } },
      properties: {
        at: { $ref: '#/$defs/point' },
        list: { items: { $ref: '#/$defs/point' } },
        pair: { prefixItems: [{ $ref: '#/$defs/point' }, true] },
        rest: { additionalProperties: { $ref: '#/$defs/point' } },
        both: { allOf: [{ $ref: '#/$defs/point' }, { properties: { z: { default: 9 } } }] },
        options: { default: {}, properties: { depth: { default: 2 } } },
      },
    };
    const input = Object.freeze({
      at: Object.freeze({ x: 1 }),
      list: Object.freeze([Object.freeze({})]),
      pair: [{}, {}],
      rest: { p: {} },
      both: {},
    });
    expect(judge(schema, input)).toEqual({
      value: {
        at: { x: 1, y: null },
        list: [{ x: 0, y: null }],
        pair: [{ x: 0, y: null }, {}],
        rest: { p: { x: 0, y: null } },
        both: { x: 0, y: null, z: 9 },
        options: { depth: 2 },
      },
    });
    expect(input.at).toEqual({ x: 1 });
  });

  it('are not taken from branches that may not apply', () => {
    const branch = { properties: { a: { default: 1 } } };
    const schema = { anyOf: [branch], oneOf: [branch], if: branch, dependentSchemas: { b: branch } };
    expect(judge(schema, { b: 1 })).toEqual({ value: { b: 1 } });
  });

  it('satisfy required, and are fresh for every call', () => {
    const schema = fromJsonSchema<{ tags: string[] }>({ properties: { tags: { default: [] } }, required: ['tags'] });
    const [first, second] = [schema['~standard'].validate({}), schema['~standard'].validate({})];
    expect(first).toEqual({ value: { tags: [] } });
    expect((first as { value: { tags: string[] } }).value.tags).not.toBe(
      (second as { value: { tags: string[] } }).value.tags,
    );
  });

  it('that lead to themselves stop', () => {
    const schema = { properties: { next: { $ref: '#', default: {} } } };
    expect(judge(schema, {})).toEqual({ value: { next: {} } });
  });
});

describe('formats', () => {
  const cases: [format: string, good: string, bad: string][] = [
    ['date', '2024-02-29', '2023-02-29'],
    ['date-time', '2024-02-29T12:00:00.5+01:00', '2024-02-29 12:00'],
    ['time', '12:00:00Z', '25:00:00Z'],
    ['duration', 'P1DT2H', '1 day'],
    ['email', 'a@b.example', 'a@'],
    ['hostname', 'a.example', '-a.example'],
    ['ipv4', '127.0.0.1', '127.0.0.256'],
    ['ipv6', '::1', '::g'],
    ['uri', 'https://a.example/b?c#d', '/b'],
    ['uri-reference', '/b?c#d', '\\b'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08'],
    ['json-pointer', '/a/~0b', 'a'],
  ];
  it.each(cases)('%s is asserted [S40]', (format, good, bad) => {
    expect(judge({ format }, good)).toEqual({ value: good });
    expect(judge({ format }, bad)).toBe(`expected a text in the format ${format}`);
    expect(judge({ format }, 7)).toEqual({ value: 7 });
  });

  it('that are unknown are annotations', () => {
    expect(judge({ format: 'colour' }, 'x')).toEqual({ value: 'x' });
  });
});

describe('the dialect', () => {
  it('is 2020-12 without $schema [e-jsonschema-01] [e-jsonschema-03]', () => {
    const schema = { prefixItems: [{ type: 'string' }], items: false };
    expect(judge(schema, ['a'])).toEqual({ value: ['a'] });
    expect(judge(schema, ['a', 'b'])).toBe('[1]: is not allowed here');
    expect(refusedAt({ items: [{ type: 'string' }] })).toBe('/items');
  });

  it('is draft-07 where $schema says so, and is judged by its rules [e-jsonschema-02] [e-jsonschema-06]', () => {
    const schema = { $schema: draft07, items: [{ type: 'string' }], additionalItems: false };
    expect(judge(schema, ['a'])).toEqual({ value: ['a'] });
    expect(judge(schema, ['a', 'b'])).toBe('[1]: is not allowed here');
    // prefixItems means nothing in draft-07, and a $ref hides the keywords beside it.
    expect(judge({ $schema: draft07, prefixItems: [false] }, ['a'])).toEqual({ value: ['a'] });
    const beside = {
      definitions: { a: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/a', minLength: 9 } },
    };
    expect(judge({ $schema: draft07, ...beside }, { a: 'x' })).toEqual({ value: { a: 'x' } });
    expect(judge(beside, { a: 'x' })).toContain('a: ');
    expect(readSchema(fromJsonSchema(schema), 'test').jsonSchema.input).toEqual(schema);
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://json-schema.org/draft/2019-09/schema', 'x', 7])(
    '%s is refused with an error that says so [e-jsonschema-07]',
    ($schema) => {
      expect(refusedAt({ $schema })).toBe('/$schema');
    },
  );

  it('asks that keywords are well formed [e-jsonschema-08]', () => {
    const places: [schema: object, pointer: string][] = [
      [{ type: 'strin' }, '/type'],
      [{ properties: { a: { required: true } } }, '/properties/a/required'],
      [{ minimum: 0, exclusiveMinimum: true }, '/exclusiveMinimum'],
      [{ properties: [] }, '/properties'],
      [{ anyOf: [] }, '/anyOf'],
      [{ required: ['a', 'a'] }, '/required'],
      [{ multipleOf: 0 }, '/multipleOf'],
      [{ minLength: -1 }, '/minLength'],
      [{ items: { 'a/b': 1, not: 3 } }, '/items/not'],
    ];
    for (const [schema, pointer] of places) expect(refusedAt(schema)).toBe(pointer);
  });
});

describe('references', () => {
  it('may be pointers, anchors, dynamic, or begin with the $id of the document', () => {
    const $defs = { 'a/b': { $anchor: 'name', $dynamicAnchor: 'node', type: 'string' } };
    for (const schema of [
      { $ref: '#/$defs/a~1b', $defs },
      { $ref: '#name', $defs },
      { $dynamicRef: '#node', $defs },
      { $id: 'https://a.example/s', $ref: 'https://a.example/s#name', $defs },
      { $ref: '#/elsewhere/0', elsewhere: [{ type: 'string' }] },
    ]) {
      expect(judge(schema, 'x')).toEqual({ value: 'x' });
      expect(judge(schema, 1)).toBe('expected string, got number');
    }
  });

  it('may recurse through the value', () => {
    const schema = { properties: { next: { $ref: '#' } }, required: ['name'] };
    expect(judge(schema, { name: 1, next: { name: 2 } })).toEqual({ value: { name: 1, next: { name: 2 } } });
    expect(judge(schema, { name: 1, next: { name: 2, next: {} } })).toBe('next.next.name: is required');
  });

  it('that leave the document are refused and never fetched [e-jsonschema-09] [e-jsonschema-11] [e-jsonschema-13]', () => {
    const fetched: unknown[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = (...call) => {
      fetched.push(call);
      return Promise.reject(new Error('no network here'));
    };
    try {
      for (const $ref of ['https://a.example/s', 'file:///etc/passwd', 'other.json#/a', '//a.example', '/s']) {
        expect(refusedAt({ properties: { a: { $ref } } })).toBe('/properties/a/$ref');
        expect(refusedAt({ $dynamicRef: $ref })).toBe('/$dynamicRef');
      }
    } finally {
      globalThis.fetch = fetch;
    }
    expect(fetched).toEqual([]);
  });

  it('that point at nothing, at no schema, or at a document inside the document are refused', () => {
    expect(refusedAt({ $ref: '#/$defs/a' })).toBe('/$ref');
    expect(refusedAt({ $ref: '#a' })).toBe('/$ref');
    expect(refusedAt({ $ref: '#/%' })).toBe('/$ref');
    expect(refusedAt({ $ref: '#/required', required: ['a'] })).toBe('/$ref');
    expect(refusedAt({ $ref: '#/toString' })).toBe('/$ref');
    expect(refusedAt({ $defs: { a: { $id: 'b' } } })).toBe('/$defs/a/$id');
  });
});

describe('property names that every object inherits', () => {
  const hostile = JSON.parse('{"__proto__": 3}') as unknown;
  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'])(
    '%s is judged as an own property',
    (name) => {
      const holder = JSON.parse(`{"${name}": 3}`) as unknown;
      const typed = JSON.parse(`{"properties": {"${name}": {"type": "string"}}}`) as object;
      expect(judge({ required: [name] }, {})).toContain('is required');
      expect(judge({ required: [name] }, holder)).toEqual({ value: holder });
      expect(judge(typed, {})).toEqual({ value: {} });
      expect(judge(typed, holder)).toContain('expected string, got number');
      expect(judge({ dependentRequired: { [name]: ['a'] } }, {})).toEqual({ value: {} });
    },
  );

  it('do not slip past additionalProperties, nor through defaults', () => {
    expect(judge({ additionalProperties: false }, hostile)).toContain('is not an allowed property');
    const schema = JSON.parse('{"properties": {"__proto__": {"default": 1}, "a": {"default": 2}}}') as object;
    const result = judge(schema, {}) as { value: object };
    expect(Object.entries(result.value)).toEqual([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
  });
});

describe('a pattern with counted repetitions', () => {
  const slow = { type: 'string', pattern: '^([a-z]{1,30}){30}$' };
  const tooMuch = { issues: [{ path: [], message: 'takes too much work to check' }] };

  it('is not run on a long text: its size counts as well as the length [S24]', () => {
    expect(fromJsonSchema(slow)['~standard'].validate('a'.repeat(200_000))).toEqual(tooMuch);
    expect(fromJsonSchema(slow)['~standard'].validate('a'.repeat(500))).toEqual({ value: 'a'.repeat(500) });
    const keys = { patternProperties: { [slow.pattern]: true }, additionalProperties: false };
    expect(fromJsonSchema(keys)['~standard'].validate({ ['a'.repeat(200_000)]: 1 })).toEqual(tooMuch);
  });

  it('leaves a plain pattern to run on four million characters', () => {
    const text = 'aGVsbG8='.repeat(500_000);
    expect(fromJsonSchema({ pattern: '^[A-Za-z0-9+/=]*$' })['~standard'].validate(text)).toEqual({ value: text });
  });
});
