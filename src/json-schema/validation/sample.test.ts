import { describe, expect, it } from 'vitest';
import { fromJsonSchema } from '../json-schema.ts';
import { sampleOf } from './sample.ts';

describe('a sample', () => {
  it('is the value itself if that is small enough', () => {
    for (const value of ['x', null, {}, [1, [2, 3]], { a: { b: 1 } }]) {
      const { value: sampled, incomplete } = sampleOf(value, 4);
      expect(sampled).toBe(value);
      expect(incomplete.size).toBe(0);
    }
  });

  it('has the first values, level by level, and marks objects and lists that lack members', () => {
    const { value, incomplete } = sampleOf({ list: [1, 2, 3, 4, 5], deep: { a: { b: 1 } }, last: 'x' }, 6);
    expect(value).toEqual({ list: [1, 2, 3], deep: {}, last: 'x' });
    const { list, deep } = value as { list: unknown; deep: unknown };
    expect([...incomplete].every((each) => [value, list, deep].includes(each))).toBe(true);
    expect(incomplete.size).toBe(3);
  });

  it('marks a list that lost all its members too', () => {
    const { value, incomplete } = sampleOf({ a: [1, 2, 3], b: [1, 2, 3], c: {}, d: [] }, 5);
    expect(value).toEqual({ a: [1], b: [], c: {}, d: [] });
    const { a, b, c, d } = value as Record<string, unknown>;
    expect([value, a, b, c, d].map((each) => incomplete.has(each))).toEqual([true, true, true, false, false]);
  });

  it('keeps a key named __proto__ a key', () => {
    const { value } = sampleOf(JSON.parse('{"__proto__":{"a":1},"b":[1,2,3,4]}'), 5);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'b']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('the issues of a large value', () => {
  const long = Array.from({ length: 100_000 }, () => 1);
  const validate = (schema: object, value: unknown) => fromJsonSchema(schema)['~standard'].validate(value);

  it('are at most 8, found without visiting all of it [S24]', () => {
    const schema = { properties: { list: { items: { type: 'string' } }, city: { type: 'string' } } };
    const { issues } = validate(schema, { list: long, city: 3 }) as { issues: unknown[] };
    expect(issues).toHaveLength(8);
    expect(issues[0]).toEqual({ path: ['list', 0], message: 'expected string, got number' });
  });

  it('do not report members as missing that the sample left out', () => {
    const schema = { properties: { list: { minItems: 90_000, items: { type: 'number' } }, city: { type: 'string' } } };
    expect(validate(schema, { list: long, city: 3 })).toEqual({
      issues: [{ path: ['city'], message: 'expected string, got number' }],
    });
    expect(validate({ items: { type: 'number' }, contains: { const: 2 } }, long)).toEqual({
      issues: [{ path: [], message: 'does not match the schema' }],
    });
  });
});
