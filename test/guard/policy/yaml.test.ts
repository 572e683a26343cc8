import { expect, test } from 'vitest';
import { createPolicy } from '../../../src/guard/index.ts';

const rule = 'rules:\n  - {id: a, allow: [call], to: any, on: any}\n';

test.each([
  ['aliases that grow', `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nversion: 1\n${rule}`, 'anchor or alias'],
  ['an alias in a test', `version: 1\n${rule}tests:\n  - {call: &n x, args: {a: *n}, expect: a}\n`, 'anchor or alias'],
  ['a merge key', `version: 1\nrules:\n  - {<<: {id: a}, allow: [call], to: any, on: any}\n`, 'rules[0].<<'],
  ['a key twice', `version: 1\nrules:\n  - {id: a, deny: [call], deny: [read], to: any, on: any}\n`, 'unique'],
  ['a key twice, once in quotes', `version: 1\n"version": 1\n${rule}`, 'unique'],
  ['a key twice in a test', `version: 1\n${rule}tests:\n  - {call: x, args: {a: 1, a: 2}, expect: a}\n`, 'unique'],
  ['a tag of another language', `version: 1\nrules: !!python/object []\n`, 'tag'],
  ['a tag of its own', `version: 1\nrules:\n  - !rule {id: a, allow: [call], to: any, on: any}\n`, 'tag'],
  ['a binary value', `version: 1\nrules:\n  - {id: !!binary YQ==, allow: [call], to: any, on: any}\n`, 'is not a text'],
  ['a list as key', `version: 1\n? [a, b]\n: 1\n${rule}`, 'not known'],
  ['__proto__ as member', `version: 1\n__proto__: {rules: []}\n${rule}`, '__proto__ is not known'],
  ['yes as a text', `version: 1\nrules:\n  - {id: true, allow: [call], to: any, on: any}\n`, 'is not a text'],
  ['null as principals', `version: 1\nrules:\n  - {id: a, allow: [call], to: , on: any}\n`, 'rules[0].to'],
  ['an empty list of names', `version: 1\nrules:\n  - {id: a, allow: [call], to: any, on: {tool: []}}\n`, 'is empty'],
  ['an empty name', `version: 1\nrules:\n  - {id: a, allow: [call], to: any, on: {tool: ""}}\n`, 'not empty'],
  ['an empty document', '', 'is not an object'],
  ['a directive of another version', `%YAML 3.0\n---\nversion: 1\n${rule}`, 'YAML'],
])('%s is refused', (_name, text, words) => {
  expect(() => createPolicy(text)).toThrow(
    expect.objectContaining({ code: 'invalid-policy', message: expect.stringContaining(words) }),
  );
});

test('a document of many keys is refused, not compared key by key', () => {
  const keys = Array.from({ length: 30_000 }, (_, n) => `k${n}: 1`).join('\n');
  expect(() => createPolicy(`version: 1\n${rule}${keys}\n`)).toThrow(
    expect.objectContaining({ code: 'invalid-policy' }),
  );
});

test('own keys of tests are those of the document, whatever their names', () => {
  const policy = createPolicy(
    `version: 1\n${rule}tests:\n  - {call: x, args: {__proto__: {a: 1}, constructor: 2}, expect: a}\n`,
  );
  const args = policy.tests[0]?.request.arguments as Record<string, unknown>;
  expect(Object.keys(args)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});
