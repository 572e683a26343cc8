import { describe, expect, test } from 'vitest';
import { createPolicy, type PolicyProblem } from '../../../src/guard/index.ts';
import type { TenonError } from '../../../src/lib/errors/tenon-error.ts';

function problemsOf(text: string): readonly PolicyProblem[] {
  try {
    createPolicy(text, { fileName: 'policy.yaml' });
  } catch (error) {
    if ((error as TenonError).code !== 'invalid-policy') throw error;
    return (error as TenonError).details.problems as readonly PolicyProblem[];
  }
  return [];
}

/** The first problem as `line:column place`, and its words. */
const firstOf = (text: string): readonly [string, string] => {
  const [first] = problemsOf(text);
  return first === undefined
    ? ['', '']
    : [`${first.line}:${first.column} ${first.place}`, `${first.message} ${first.hint}`];
};

/** A policy with one rule in line 3. */
const withRule = (rule: string): string => `version: 1\nrules:\n  - ${rule}\n`;
const rule = (rest: string): string => withRule(`{id: a, deny: [call], to: any, on: any, ${rest}}`);

describe('a policy that is not valid is refused with line, column and a fix [S23]', () => {
  test.each([
    ['another version', 'version: 2\nrules: []', '1:10 version', 'Write version: 1.'],
    ['no rules', 'version: 1', '1:1 rules', 'is missing'],
    ['an unknown member', 'version: 1\nrule: []\nrules: []', '2:1 rule', 'Did you mean rules?'],
    ['broken YAML', 'version: 1\nrules: [', '2:9 policy', 'is not valid YAML or JSON'],
    ['broken JSON', '{"version": 1,\n "rules": [}', '2:12 policy', 'is not valid YAML or JSON'],
    ['a key twice', 'version: 1\nversion: 1\nrules: []', '2:1 policy', 'unique'],
    ['an anchor', 'version: &one 1\nrules: []', '1:15 policy', 'anchor or alias'],
    ['a tag', 'version: 1\nrules: !!js/function []', '2:8 policy', 'tag'],
    ['two documents', 'version: 1\nrules: []\n---\nversion: 1\n', '3:1 policy', 'multiple documents'],
    ['a rule without an id', withRule('{deny: [call], to: any, on: any}'), '3:5 rules[0]', 'has no id'],
    ['an id that tests use', withRule('{id: deny, deny: [call], to: any, on: any}'), '3:10 rules[0].id', 'another id'],
    ['no effect', withRule('{id: a, to: any, on: any}'), '3:5 rules[0]', 'has no effect'],
    [
      'two effects',
      withRule('{id: a, allow: [call], deny: [read], to: any, on: any}'),
      '3:5 rules[0]',
      'deny and allow',
    ],
    [
      'an unknown action',
      withRule('{id: a, allow: [cal], to: any, on: any}'),
      '3:21 rules[0].allow',
      'Did you mean call?',
    ],
    ['asking about lists', withRule('{id: a, ask: [list], to: any, on: any}'), '3:19 rules[0].ask', 'allow or deny'],
    ['no principals', withRule('{id: a, allow: [call], on: any}'), '3:5 rules[0].to', 'is missing'],
    ['unknown principals', withRule('{id: a, allow: [call], to: all, on: any}'), '3:32 rules[0].to', 'Write any'],
    [
      'an unknown kind of principal',
      withRule('{id: a, allow: [call], to: {scopes: x}, on: any}'),
      '3:32 rules[0].to',
      '',
    ],
    [
      'no network',
      withRule('{id: a, allow: [call], to: {network: 10.0.0.0/64}, on: any}'),
      '3:42 rules[0].to.network',
      '10.0.0.0/8',
    ],
    ['no targets', withRule('{id: a, allow: [call], to: any}'), '3:5 rules[0].on', 'is missing'],
    ['a number as name', withRule('{id: a, allow: [call], to: any, on: {tool: 7}}'), '3:48 rules[0].on.tool', 'quotes'],
    [
      'a URI pattern that matches nothing',
      withRule('{id: a, deny: [read], to: any, on: {resource: "FILE:///x"}}'),
      '3:51 rules[0].on.resource',
      'canonical',
    ],
    ['remember without ask', rule('remember: 30d'), '3:45 rules[0].remember', 'rules with ask'],
    [
      'a wrong time',
      withRule('{id: a, ask: [call], to: any, on: any, remember: 30 days}'),
      '3:54 rules[0].remember',
      '30d',
    ],
    [
      'exactCall as text',
      withRule('{id: a, ask: [call], to: any, on: any, exactCall: "yes"}'),
      '3:55 rules[0].exactCall',
      'true',
    ],
    [
      'an approver of a client',
      withRule('{id: a, ask: [call], to: any, on: any, approver: {role: ops, client: cli}}'),
      '3:66 rules[0].approver.client',
      'is not known',
    ],
    [
      'an approver for a rule that does not ask',
      withRule('{id: a, allow: [call], to: any, on: any, approver: caller}'),
      '3:46 rules[0].approver',
      'rules with ask',
    ],
    [
      'an approver of a read',
      withRule('{id: a, ask: [read], to: any, on: any, approver: {role: ops}}'),
      '3:44 rules[0].approver',
      'needs the action call',
    ],
    [
      'an expiry of a month',
      withRule('{id: a, ask: [call], to: any, on: any, expires: 30d}'),
      '3:53 rules[0].expires',
      'at most 7d',
    ],
    ['an id twice', `${rule('when: "true"')}  - {id: a, deny: [read], to: any, on: any}`, '4:5 rules[1].id', 'line 3'],
    ['a test of no rule', 'version: 1\nrules: []\ntests:\n  - {call: x, expect: reed}', '4:23 tests[0].expect', 'reed'],
    ['a test without an action', 'version: 1\nrules: []\ntests:\n  - {expect: deny}', '4:5 tests[0]', 'one action'],
  ])('%s', (_name, text, place, words) => {
    const [found, message] = firstOf(text);
    expect(found).toBe(place);
    expect(message).toContain(words);
  });

  test.each([
    ['no CEL', 'args.env = 1', 9, 'Unexpected character'],
    ['an unknown variable', 'argz.env == 1', 0, 'Variables are args'],
    ['no truth value', '1 + 1', 0, 'true or false'],
    ['an unknown function', 'size(args) > 0 && now() > 1', 18, 'uses now()'],
    ['a misspelt method', 'args.a.startWith("x")', 0, 'Did you mean startsWith?'],
    ['a computed pattern', 'args.a.matches(args.b)', 0, 'literal'],
    ['a pattern without linear form', 'args.a.matches("(?=x)")', 0, 'RE2'],
    ['a pattern that is too large', 'args.a.matches("(x{1000}){1000}")', 0, 'RE2'],
    ['nested comprehensions', 'args.a.all(x, args.b.all(y, x == y))', 14, 'one level'],
    ['a comprehension that builds lists', 'args.a.map(x, x + x).size() > 0', 0, 'map()'],
    ['a binding', 'cel.bind(x, args.a, x == x)', 0, 'bind()'],
    ['more than 200 nodes', Array(80).fill('args.a == 1').join(' && '), undefined, '200'],
    ['deep nesting', `${'('.repeat(100)}true${')'.repeat(100)}`, undefined, ''],
  ])('a condition with %s', (_name, condition, offset, words) => {
    const [found, message] = firstOf(rule(`when: '${condition}'`));
    expect(found).toMatch(/^3:\d+ rules\[0\]\.when$/);
    expect(offset === undefined || found === `3:${52 + offset} rules[0].when`).toBe(true);
    expect(message).toContain(words);
  });

  test('all problems are listed, at most twenty, in the order of the document', () => {
    const problems = problemsOf(`version: 2\nrules:\n${'  - {id: a}\n'.repeat(30)}`);
    expect(problems).toHaveLength(20);
    expect(problems.map(({ line }) => line)).toEqual(problems.map(({ line }) => line).toSorted((a, b) => a - b));
  });

  test.each([
    ['characters', `version: 1\nrules: []\n# ${'x'.repeat(256 * 1024)}`],
    [
      'rules',
      `version: 1\nrules:\n${Array.from({ length: 1001 }, (_, n) => `  - {id: r${n}, deny: [call], to: any, on: any}`).join('\n')}`,
    ],
    ['entries of a list', withRule(`{id: a, deny: [call], to: any, on: {tool: [${Array(101).fill('x').join()}]}}`)],
    ['characters of a pattern', withRule(`{id: a, deny: [call], to: any, on: {tool: ${'x'.repeat(513)}}}`)],
    ['characters of a condition', rule(`when: 'args.a == "${'x'.repeat(4096)}"'`)],
    ['nesting in brackets', '['.repeat(200_000)],
    ['nesting in lists', `${'- '.repeat(100_000)}x`],
  ])('over the bound of %s', (_name, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });
});

test('JSON is read as YAML is', () => {
  const policy = createPolicy(
    JSON.stringify({ version: 1, rules: [{ id: 'a', allow: 'call', to: 'any', on: { tool: 'x' } }] }),
  );
  expect(policy.rules).toMatchObject([{ id: 'a', effect: 'allow', actions: ['call'], on: { tool: ['x'] } }]);
});

test('arguments of createPolicy are checked', () => {
  expect(() => createPolicy(7 as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});

test.each([
  [{ filename: 'a.yaml' }, 'Did you mean fileName?'],
  [{ fileName: 7 }, 'fileName must be a string'],
  [{ maxDecisions: 5 }, 'maxDecisions is fixed at 10000. Remove it.'],
])('%j is no option of createPolicy', (options, message) => {
  expect(() => createPolicy('version: 1\nrules: []', options as object)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
  );
});
