import { describe, expect, test } from 'vitest';
import { completeLimits, defaultLimits, findUnsafe, isUnsafe } from './limits.ts';

const lists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const objects = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);

describe('limits given in part', () => {
  test('are filled up with the defaults', () => {
    expect(completeLimits(undefined)).toEqual(defaultLimits);
    expect(completeLimits({ maxDepth: 5 })).toEqual({ ...defaultLimits, maxDepth: 5 });
    expect(completeLimits({ maxBatch: undefined } as object)).toEqual(defaultLimits);
    expect(completeLimits(null as unknown as undefined)).toEqual(defaultLimits);
  });

  test.each([
    { maxLength: 5 },
    { maxMessageChars: '5' },
    { maxMessageChars: 0 },
    { maxBatch: Number.NaN },
    { maxBatch: null },
    { maxDepth: 1001 },
    { maxDepth: 1.5 },
  ])('%j is refused by name', (wrong) => {
    const [name] = Object.keys(wrong);
    expect(() => completeLimits(wrong as object)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(`limits.${name} `) }),
    );
  });

  test('the deepest limit fits on the stack', () => {
    expect(isUnsafe(lists(1001), 1000)).toBe(true);
    expect(findUnsafe(lists(1001), 1000, '')?.code).toBe('nesting-too-deep');
  });
});

describe('depth', () => {
  test.each([
    ['lists', lists],
    ['objects', objects],
  ])('%s pass at the limit and are too deep one level past it', (_, nested) => {
    expect(isUnsafe(nested(5), 5)).toBe(false);
    expect(findUnsafe(nested(5), 5, 'params')).toBeUndefined();
    expect(isUnsafe(nested(6), 5)).toBe(true);
    expect(findUnsafe(nested(6), 5, 'params')?.code).toBe('nesting-too-deep');
  });

  test('what is no object or list has no depth', () => {
    for (const value of [null, undefined, true, 0, '', 'text']) expect(isUnsafe(value, 0)).toBe(false);
    expect(isUnsafe([], 0)).toBe(true);
  });

  test('a value can be wide without being deep', () => {
    const wide = Array.from({ length: 50_000 }, (_, n) => ({ [`key${n}`]: [n] }));
    expect(isUnsafe(wide, 3)).toBe(false);
  });

  test('the walk ends at the limit, so that a million levels cost no more than the limit allows', () => {
    expect(isUnsafe(lists(1_000_000), defaultLimits.maxDepth)).toBe(true);
    expect(findUnsafe(lists(1_000_000), defaultLimits.maxDepth, 'params')?.code).toBe('nesting-too-deep');
  });
});

describe('keys', () => {
  test.each([
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":{"b":[0,{"__proto__":1}]}}', 'a.b[1].__proto__'],
    ['[[],[{"\\u005f_proto__":null}]]', '[1][0].__proto__'],
    ['{"constructor":{"__proto__":{"polluted":true}}}', 'constructor.__proto__'],
  ])('%s is harmful, and its place is named', (text, place) => {
    const value: unknown = JSON.parse(text);
    expect(isUnsafe(value, 10)).toBe(true);
    expect(findUnsafe(value, 10, '')).toEqual({ code: 'unsafe-key', place });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    '{"constructor":{"prototype":{"a":1}}}',
    '{"prototype":1,"toString":2,"hasOwnProperty":3}',
    '{"":{"":0}}',
  ])('%s is plain data', (text) => {
    expect(isUnsafe(JSON.parse(text), 10)).toBe(false);
    expect(findUnsafe(JSON.parse(text), 10, '')).toBeUndefined();
  });

  test('a string that reads __proto__ is no key', () => {
    expect(isUnsafe(['__proto__', { a: '__proto__' }], 10)).toBe(false);
  });
});
