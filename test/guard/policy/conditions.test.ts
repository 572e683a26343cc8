import { describe, expect, test } from 'vitest';
import { createPolicy, type DecisionRequest } from '../../../src/guard/index.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';

/** What a condition of a deny rule is for arguments, and why it failed. */
function evaluate(when: string, args: unknown, rest: Partial<DecisionRequest> = {}) {
  const rule = { id: 'when', deny: ['call'], to: 'any', on: 'any', when };
  const policy = createPolicy(JSON.stringify({ version: 1, rules: [rule] }));
  const request: DecisionRequest = { action: 'call', target: { tool: 'x' }, arguments: args as never, ...rest };
  const explained = policy.explain(policy.decide(request).decisionId);
  const { match, reason } = explained?.rules[0]?.when ?? {};
  return { match, reason, explained };
}

describe('a condition means what it says', () => {
  test.each([
    ['whole numbers are integers', 'args.n == 5', { n: 5 }, 'yes'],
    ['a whole double is the same number', 'args.n == 5.0', { n: 5 }, 'yes'],
    ['integers and doubles are compared by value', 'args.n < 5', { n: 4.99 }, 'yes'],
    ['a text is not a number', 'args.n == 5', { n: '5' }, 'no'],
    ['a text is not less than a number', 'args.n < 5', { n: '4' }, 'failed'],
    ['minus zero is zero', 'args.n == 0', { n: -0 }, 'yes'],
    ['large numbers are compared by value', 'args.n > 9007199254740991', { n: 1e300 }, 'yes'],
    ['integers do not wrap', 'args.n * args.n * args.n > 0', { n: 2 ** 52 }, 'failed'],
    ['nor below', '-args.n * args.n < 0', { n: 2 ** 52 }, 'failed'],
    ['nor at the end of 64 bits', '9223372036854775807 + args.n > 0', { n: 1 }, 'failed'],
    ['zero divides nothing', '1 / args.n == 0', { n: 0 }, 'failed'],
    ['a text that is no integer', 'int(args.n) == 5', { n: '5x' }, 'failed'],
    ['a very long integer', 'int(args.n) == 5', { n: '9'.repeat(60_000) }, 'failed'],
    ['NaN', 'args.n == args.n', { n: Number.NaN }, 'no'],
    ['a missing key', 'args.n == 5', {}, 'failed'],
    ['a missing key in an object that is missing', 'has(args.a.b)', {}, 'failed'],
    ['a missing key that does not matter', 'args.n == 5 || true', {}, 'yes'],
    ['a missing key that cannot matter', 'args.n == 5 && false', {}, 'no'],
    ['no arguments at all', 'args.n == 5', undefined, 'failed'],
    ['null', 'args.n == null', { n: null }, 'yes'],
    ['undefined is missing', 'has(args.n)', { n: undefined }, 'no'],
    ['an index outside of a list', 'args.l[5] == 1', { l: [1] }, 'failed'],
    ['lists of several types', 'args.l.exists(x, x == "a")', { l: [1, 'a', null] }, 'yes'],
    ['deep equality', 'args.o == {"a": [1, 2]}', { o: { a: [1, 2] } }, 'yes'],
    ['a date is its text', 'args.at < "2027"', { at: new Date('2026-01-01') }, 'yes'],
    ['a date that is none', 'args.at < "2027"', { at: new Date('x') }, 'failed'],
    ['a set would look empty', '"x" in args.tags', { tags: new Set(['x']) }, 'failed'],
    ['a map would look empty', '"x" in args.tags', { tags: new Map([['x', 1]]) }, 'failed'],
    ['an object of a class', 'has(args.u.host)', { u: new URL('https://example.com') }, 'failed'],
    ['a function', 'has(args.f)', { f: () => 1 }, 'failed'],
    ['an object without a prototype', 'args.o.a == 1', { o: Object.assign(Object.create(null), { a: 1 }) }, 'yes'],
    ['a key named __proto__', 'has(args.__proto__)', {}, 'no'],
    ['an own key named __proto__', 'args.__proto__ == 1', JSON.parse('{"__proto__": 1}'), 'yes'],
    ['a key named constructor', 'args.constructor == 1', {}, 'failed'],
    ['a key named __proto__ of a literal', '{"a": 1}.__proto__ == 1', {}, 'failed'],
    ['a key of the prototype of texts', 'args.s.length == 1', { s: 'a' }, 'failed'],
    ['prototype names in lists', '"toString" in args.o', { o: {} }, 'no'],
  ])('%s', (_name, when, args, match) => expect(evaluate(when, args).match).toBe(match));

  test('what the request does not have fails', () => {
    expect(evaluate('address == ""', {}).match).toBe('failed');
    expect(evaluate('principal.subject == ""', {}).match).toBe('failed');
    expect(evaluate('has(principal.subject)', {}).match).toBe('no');
    const principal = createPrincipal({ issuer: 'i', subject: 's' });
    expect(evaluate('principal.subject == "s"', {}, { principal }).match).toBe('yes');
    expect(evaluate('principal.client != "cli"', {}, { principal }).match).toBe('failed');
    expect(evaluate('principal.claims.team != "web"', {}, { principal }).match).toBe('failed');
  });
});

test.each([
  ['a key that is computed', 'args.m[args.token] == 1', 'no such key: args.m[args.token]'],
  ['a number', 'args.n * args.n * args.n > 0', 'numeric overflow: args.n * args.n'],
  ['a conversion', 'int(args.token) > 0', 'int conversion error: int(args.token)'],
  ['an index', 'args.l[args.n] > 0', 'index out of bounds: args.l[args.n]'],
])('the reason of a failure quotes the condition and no value: %s', (_name, when, words) => {
  const { reason, explained } = evaluate(when, { token: 'hunter2', n: 2 ** 50, m: {}, l: [] });
  expect(reason).toBe(words);
  expect(JSON.stringify(explained)).not.toMatch(/hunter2|1125899906842624/);
});

test('the steps are those of the whole decision, not of each rule', () => {
  const rules = Array.from({ length: 200 }, (_, n) => ({
    id: `r${n}`,
    allow: ['call'],
    to: 'any',
    on: 'any',
    when: 'args.text.matches("^(a?){40}b$")',
  }));
  const policy = createPolicy(JSON.stringify({ version: 1, rules }));
  const { decisionId } = policy.decide({ action: 'call', target: {}, arguments: { text: 'a'.repeat(10_000) } });
  const outcomes = policy.explain(decisionId)?.rules.map(({ when }) => when?.match);
  expect(new Set(outcomes)).toEqual(new Set(['no', 'failed']));
  expect(outcomes?.filter((one) => one === 'no').length).toBeLessThan(20);
});

test('a condition is evaluated once for a decision', () => {
  const ask = { id: 'asks', ask: ['call'], to: 'any', on: 'any', when: 'args.text.contains("b")' };
  const allow = { id: 'allows', allow: ['call'], to: 'any', on: 'any' };
  const policy = createPolicy(JSON.stringify({ version: 1, rules: [ask, allow] }));
  let reads = 0;
  const args = {
    get text() {
      reads++;
      return 'a';
    },
  };
  expect(policy.evaluate({ action: 'call', target: {}, arguments: args }).effect).toBe('allow');
  expect(reads).toBe(1);
});
