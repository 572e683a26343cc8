import { describe, expect, test } from 'vitest';
import { createPolicy, type Policy } from '../../../src/guard/index.ts';

const policyOf = (...rules: readonly string[]): Policy =>
  createPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`);

const all = '{id: all, allow: [call, read], to: any, on: any}';

/** Each of these would take minutes, or more memory than there is, if it were not bounded. */
describe('arguments and patterns cannot make a decision slow', () => {
  const decide = (when: string, args: Record<string, unknown>) => {
    const policy = policyOf(`{id: when, deny: [call], to: any, on: any, when: '${when}'}`, all);
    const { decisionId, effect } = policy.decide({ action: 'call', target: { tool: 'x' }, arguments: args });
    return [effect, policy.explain(decisionId)?.rules[0]?.when?.reason];
  };

  test('a pattern that backtracks elsewhere is matched in linear time', () => {
    const text = `${'a'.repeat(30_000)}!`;
    expect(decide('args.text.matches("^(a+)+$")', { text })).toEqual(['allow', undefined]);
    expect(decide('args.text.matches("^(a|a)*$")', { text })).toEqual(['allow', undefined]);
  });

  test('a pattern on many texts stops at its number of steps, and the condition fails', () => {
    const args = { text: 'a'.repeat(50_000), list: Array.from({ length: 1000 }, (_, n) => n) };
    const [effect, reason] = decide('args.list.all(n, !args.text.matches("(a?){50}b"))', args);
    expect([effect, reason]).toEqual(['deny', 'functions on texts take more than 4000000 steps']);
    expect(decide('args.list.all(n, !args.text.contains("b"))', args)[0]).toBe('deny');
  });

  test.each([
    'args.text.size() > n',
    'size(args.text) > n',
    'args.text.trim() != ""',
    'args.text.lowerAscii() != ""',
    'args.text.upperAscii() != ""',
    'args.text.startsWith(args.text)',
    'args.text.endsWith(args.text)',
    'double(args.text) > 0.0',
    'args.text.matches("(?:1{1,30}){1,30}x")',
  ])('a function on a text counts each time that a list repeats it: %s [S24]', (when) => {
    const args = { text: '1'.repeat(20_000), list: Array.from({ length: 1000 }, (_, n) => n) };
    const decided = decide(`args.list.all(n, ${when})`, args);
    expect(decided).toEqual(['deny', 'functions on texts take more than 4000000 steps']);
  });

  test('a counted repetition on a long text stops at its number of steps [S24]', () => {
    const text = 'a'.repeat(20_000);
    const reason = 'functions on texts take more than 4000000 steps';
    expect(decide('args.text.matches("(a{1,30}){1,30}x")', { text })).toEqual(['deny', reason]);
    expect(decide('args.text.matches("^[a-z]{1,30}$")', { text })).toEqual(['allow', undefined]);
  });

  test('functions on texts mean what they mean in CEL', () => {
    const holds = [
      'args.text.size() == 3 && size(args.text) == 3 && args.list.size() == 2 && size(args.list) == 2 && size(args) == 3',
      'args.text.trim().lowerAscii() == "é" && args.text.trim().upperAscii() == "É"',
      'args.text.startsWith(" ") && args.text.endsWith(" ")',
      'int("12") == 12 && int(1.9) == 1 && double("1.5") == 1.5 && double(2) == 2.0 && bool("true") && args.map.size() == 0',
    ];
    for (const when of holds) expect(decide(when, { text: ' é ', list: [1, 2], map: {} })[0]).toBe('deny');
  });

  test.each([
    ['entries in a list', { list: Array(1001).fill(1) }],
    ['members of an object', Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, 1]))],
    ['characters', { text: 'x'.repeat(65_537) }],
    ['values', { list: Array(20).fill(Array(999).fill(1)) }],
    ['levels of nesting', JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)],
  ])('an input with too many %s makes the condition fail', (what, args) => {
    const [effect, reason] = decide('has(args.none)', args);
    expect(effect).toBe('deny');
    expect(reason).toContain(what);
  });

  test('a pattern with many wildcards is matched without backtracking', () => {
    const policy = policyOf(
      `{id: tool, deny: [call], to: any, on: {tool: "${'*a'.repeat(200)}b"}}`,
      `{id: resource, deny: [read], to: any, on: {resource: "x:${'**a*'.repeat(100)}b"}}`,
      all,
    );
    const name = 'a'.repeat(4000);
    expect(policy.evaluate({ action: 'call', target: { tool: name } }).effect).toBe('allow');
    expect(policy.evaluate({ action: 'call', target: { tool: `${name}b` } }).effect).toBe('deny');
    expect(policy.evaluate({ action: 'read', target: { resource: `x:${name}` } }).effect).toBe('allow');
  });
});

describe('another spelling of a name or URI does not avoid a rule [S23]', () => {
  const policy = policyOf(
    '{id: docs, allow: [read], to: any, on: {resource: ["file:///docs/**", "note://*", "https://example.com/**"]}}',
    '{id: secret, deny: [read], to: any, on: {resource: ["file:///docs/secret/**", "file:///docs/secret", "note://private*"]}}',
    '{id: tools, allow: [call], to: any, on: {tool: [deploy, "café"]}}',
  );
  const read = (resource: string) => policy.evaluate({ action: 'read', target: { resource } }).effect;
  const call = (tool: string) => policy.evaluate({ action: 'call', target: { tool } }).effect;

  test.each([
    'file:///docs/readme.md',
    'file:///docs/a/b.txt',
    'file:///docs/a%20b',
    'note://x',
    'https://example.com/a?b=c#d',
    'file:///docs/caf\u00e9',
  ])('%s is canonical and allowed', (uri) => expect(read(uri)).toBe('allow'));

  test.each([
    'file:///docs/secret',
    'file:///docs/secret/key',
    'file:///docs/./secret',
    'file:///docs/x/../secret',
    'file:///docs/%2e%2e/etc/passwd',
    'file:///docs/..%2Fetc',
    'file:///docs//secret',
    'file:///docs%2Fsecret',
    'file:///docs%2fsecret',
    'file:///docs%5Csecret',
    'file:///docs\\secret',
    'file:///docs/%73ecret',
    'file:///docs/secret%2Fkey',
    'FILE:///docs/readme.md',
    'file:///docs/readme.md%00',
    'file:///docs/readme.md\n',
    'file:///docs/a b',
    'file:///docs/caf\u0065\u0301',
    'file:///docs/se\u200bcret',
    'file:///docs/%zz',
    'https://EXAMPLE.com/a',
    'note://private%2Fx',
    'docs/readme.md',
    '',
  ])('%j is denied', (uri) => expect(read(uri)).toBe('deny'));

  test.each([
    'Deploy',
    'DEPLOY',
    'deploy ',
    ' deploy',
    'dep\u200bloy',
    'd\u0435ploy',
    'deploy\u0000',
    'cafe\u0301',
    '',
  ])('the tool %j is not the registered one', (tool) =>
    expect([call('deploy'), call('caf\u00e9'), call(tool)]).toEqual(['allow', 'allow', 'deny']),
  );

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('a tool named %s has no rules', (tool) =>
    expect(call(tool)).toBe('deny'),
  );
});
