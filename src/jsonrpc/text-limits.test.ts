import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFrame } from './frame.ts';
import { defaultLimits } from './limits.ts';
import { exceededLimit, longText, outlineOf } from './text-limits.ts';

const countIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, each) => sum + countIn(each), 1)
    : 1;

const depthIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthIn)) : 0;

const most = { ...defaultLimits, maxDepth: 1000, maxValues: 1_000_000 };

describe('values and depth counted in a text', () => {
  test('are those of the parsed value, for any JSON and any white space [S24]', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const values = countIn(JSON.parse(text));
        expect(exceededLimit(text, { ...most, maxValues: values })).toBeUndefined();
        expect(exceededLimit(text, { ...most, maxValues: values - 1 })).toBe(
          values > 1 ? 'too-many-values' : undefined,
        );
        const depth = depthIn(JSON.parse(text)) - (Array.isArray(value) ? 2 : 1);
        expect(exceededLimit(text, { ...most, maxDepth: depth })).toBeUndefined();
        expect(depth < 1 ? undefined : exceededLimit(text, { ...most, maxDepth: depth - 1 })).toBe(
          depth < 1 ? undefined : 'nesting-too-deep',
        );
      }),
      { seed: 17, numRuns: 2000 },
    );
  });

  test.each(['"[[[[,,,,"', '"\\"[[[[,,,,"', '"\\\\\\"[[[[,,,,"', '"[[[[,,,,', '"\\'])(
    'are not those in the string %s',
    (text) => {
      expect(exceededLimit(text, { ...most, maxDepth: 1, maxValues: 2 })).toBeUndefined();
    },
  );

  test.each(['"\\', '"\\"', '\\"', '"", '])('take one pass over a text of %j, however long', (part) => {
    expect(exceededLimit(part.repeat(1_000_000), { ...most, maxValues: 10_000_000 })).toBeUndefined();
  });
});

describe('the outline of a text', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"method":"a\\"b","params":{"id":8}}', { id: 7, method: 'a"b' }],
    ['{"params":[{"id":8},"id"],"id" : "x" }', { id: 'x' }],
    ['{"a":"\\"id\\":1","result":{"id":3},"id":-1.5e3}', { result: {}, id: -1500 }],
    ['{"error":{},"id":null}', { error: {}, id: {} }],
    ['{"id":1,"id":2}', { id: 2 }],
    ['{"id":"\\x"}', { id: undefined }],
    [
      ' [{"id":1,"result":[{"id":5}]} , [{"id":6}], {"id":2,"method":"m"}]',
      [
        { id: 1, result: {} },
        { id: 2, method: 'm' },
      ],
    ],
    ['{"params":[[[[', {}],
    ['[[[[', []],
    ['', undefined],
  ])('%s has the ids and methods of its messages', (text, outline) => {
    expect(outlineOf(text)).toEqual(outline);
  });
});

describe('a long message', () => {
  const list = (length: number): string => `[${'1,'.repeat(length - 1)}1]`;
  const limits = { ...defaultLimits, maxValues: 50_000 };
  const read = (text: string) => {
    expect(text.length).toBeGreaterThan(longText);
    return readFrame(text, { limits });
  };

  test('with more values than the limit is refused by name, with its id, and is not parsed [S24]', () => {
    const request = (length: number): string => `{"jsonrpc":"2.0","method":"m","params":{"a":${list(length)}},"id":7}`;
    expect(read(request(49_994)).kind).toBe('request');
    expect(read(request(49_995))).toMatchObject({
      kind: 'invalid',
      error: { code: 'too-many-values', hint: expect.stringContaining('limits.maxMessageChars') },
      reply: { id: 7, error: { code: -32600, message: 'A message has more than 50000 values.' } },
      answered: [],
    });
    // What is not JSON behind the limit would be another error.
    expect(read(`${request(60_000)}}`)).toMatchObject({ error: { code: 'too-many-values' } });
  });

  test('that is an answer ends its request and gets no reply', () => {
    const answer = `{"jsonrpc":"2.0","result":{"a":${list(60_000)}},"id":"x"}`;
    expect(read(answer)).toMatchObject({ error: { code: 'too-many-values' }, reply: undefined, answered: ['x'] });
  });

  test('that is nested too deep is refused by the same limit as a short one, with its id [S24]', () => {
    const nested = (levels: number): string =>
      `{"jsonrpc":"2.0","id":7,"method":"m","params":${'['.repeat(levels)}"${'x'.repeat(longText)}"${']'.repeat(levels)}}`;
    expect(read(nested(128)).kind).toBe('request');
    expect(read(nested(129))).toMatchObject({ error: { code: 'nesting-too-deep' }, reply: { id: 7 } });
    expect(read(`[${nested(128)}]`)).toMatchObject({ kind: 'batch', arrivals: [{ kind: 'request' }] });
    expect(read(`[${nested(129)}]`)).toMatchObject({ kind: 'invalid', error: { code: 'nesting-too-deep' } });
    expect(read('['.repeat(4_000_000))).toMatchObject({
      error: { code: 'nesting-too-deep' },
      reply: { id: undefined },
    });
  });
});
