import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DuplicateKey, findDuplicateKey } from './duplicate-keys.ts';

describe('findDuplicateKey', () => {
  test.each([
    ['an object at the top', '{"a":1,"b":2,"a":3}', { path: 'a', key: 'a' }],
    ['an object inside others', '{"params":{"arguments":{"a":1,"a":2}}}', { path: 'params.arguments.a', key: 'a' }],
    ['an object in an array', '[0,{"x":[1,[],{"k":1,"k":2}]}]', { path: '[1].x[2].k', key: 'k' }],
    ['a key that needs quotes in a path', '{"a b":{"":1,"":2}}', { path: '["a b"][""]', key: '' }],
    ['keys written differently', '{"a":1,"\\u0061":2}', { path: 'a', key: 'a' }],
    ['keys with escaped quotes and backslashes', '{"\\\\\\"":1,"\\u005c\\"":2}', { path: '["\\\\\\""]', key: '\\"' }],
    [
      'a key named like a property of objects',
      '{"__proto__":1,"__proto__":2}',
      { path: '__proto__', key: '__proto__' },
    ],
    ['values between that hold the same text', '{"a":"a","b":"\\"a\\":","a":0}', { path: 'a', key: 'a' }],
  ])('finds the doubled key of %s', (_, text, found) => {
    expect(findDuplicateKey(text)).toEqual(found);
  });

  test.each([
    ['the same key in two objects', '[{"a":1},{"a":1,"b":{"a":1}}]'],
    ['equal strings in an array', '["a","a",{"a":["a","a"]},"a"]'],
    ['a value equal to a key', '{"a":"a","b":"a"}'],
    ['keys that differ in case', '{"a":1,"A":2}'],
    ['keys that only look alike', '{"a":1,"\\\\u0061":2}'],
    ['structure inside strings', '{"a":"{\\"x\\":1,\\"x\\":2}","x":"}],{"}'],
    ['a bare value', '"a"'],
    ['empty containers', '[{},[],{"a":{}}]'],
  ])('finds nothing in %s', (_, text) => {
    expect(findDuplicateKey(text)).toBeUndefined();
  });

  test('nesting of any depth does not exhaust the stack', () => {
    const depth = 200_000;
    const text = `${'{"a":'.repeat(depth)}{"k":1,"k":2}${'}'.repeat(depth)}`;
    expect(findDuplicateKey(text)?.key).toBe('k');
  });
});

/** JSON text written from parts, so that keys can be doubled and spelled in different ways. */
const spelled = fc.tuple(fc.constantFrom('a', 'b', 'é', '"', '\\', '', '😀', 'a b'), fc.nat(2)).map(([key, way]) => {
  if (way === 0) return JSON.stringify(key);
  const escaped = [...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, '0')}`);
  return `"${way === 1 ? escaped.join('') : escaped.join('').toUpperCase().replaceAll('\\U', '\\u')}"`;
});
const space = fc.constantFrom('', ' ', '\n\t');
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(spelled, fc.constantFrom('0', '-1.5e3', 'true', 'null', '"{\\"a\\":1,"')),
    fc.tuple(space, fc.array(tie('value'), { maxLength: 4 })).map(([s, items]) => `[${s}${items.join(`${s},`)}${s}]`),
    fc
      .tuple(space, fc.array(fc.tuple(spelled, tie('value')), { maxLength: 4 }))
      .map(([s, all]) => `{${s}${all.map(([key, value]) => `${key}${s}:${s}${value}`).join(`${s},${s}`)}}`),
  ),
}));

/** A parser written the plain way: recursive, one character at a time. It throws what it finds. */
function referenceScan(text: string): DuplicateKey | undefined {
  let at = 0;
  const blank = (): void => {
    while (' \n\t'.includes(text[at] ?? 'x')) at += 1;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(start, at));
  };
  const items = (close: string, item: (index: number) => void): void => {
    at += 1;
    blank();
    for (let index = 0; text[at] !== close; index += 1) {
      item(index);
      blank();
      if (text[at] === ',') at += 1;
      blank();
    }
    at += 1;
  };
  const value = (path: string): void => {
    blank();
    const seen: string[] = [];
    if (text[at] === '"') string();
    else if (text[at] === '[') items(']', (index) => value(`${path}[${index}]`));
    else if (text[at] === '{') {
      items('}', () => {
        const key = string();
        const plain = /^[\w$]+$/.test(key);
        const here = plain ? `${path}${path === '' ? '' : '.'}${key}` : `${path}[${JSON.stringify(key)}]`;
        if (seen.includes(key)) throw { path: here, key };
        seen.push(key);
        blank();
        at += 1;
        value(here);
      });
    } else while (!',]} \n\t'.includes(text[at] ?? ',')) at += 1;
  };
  try {
    value('');
    return undefined;
  } catch (found) {
    return found as DuplicateKey;
  }
}

test('any JSON text gives what a plain recursive parser gives', () => {
  let found = 0;
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(() => JSON.parse(text)).not.toThrow();
      const expected = referenceScan(text);
      if (expected !== undefined) found += 1;
      expect(findDuplicateKey(text)).toEqual(expected);
    }),
    { seed: 7, numRuns: 3000 },
  );
  // The generator must reach both outcomes often for the comparison to mean something.
  expect(found).toBeGreaterThan(200);
  expect(found).toBeLessThan(2800);
});

test('text written by JSON.stringify never has a doubled key', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(findDuplicateKey(JSON.stringify(value))).toBeUndefined();
    }),
    { seed: 7, numRuns: 500 },
  );
});
