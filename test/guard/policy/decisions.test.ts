import { describe, expect, test } from 'vitest';
import { createPolicy, type DecisionRequest, type Policy, runPolicyTests } from '../../../src/guard/index.ts';
import { createPrincipal, type PrincipalDetails } from '../../../src/ports/principal.ts';
import { withFixed } from '../../kit/fixed-limits.ts';

const policyOf = (...rules: readonly string[]): Policy =>
  createPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`);

const alice = (details: Partial<PrincipalDetails> = {}) =>
  createPrincipal({ issuer: 'https://id.example', subject: 'alice', ...details });

/** A call of the tool `deploy`, unless it says otherwise. */
const request = (rest: Partial<DecisionRequest> = {}): DecisionRequest => ({
  action: 'call',
  target: { tool: 'deploy' },
  ...rest,
});

const effectOf = (policy: Policy, rest: Partial<DecisionRequest> = {}): string => policy.evaluate(request(rest)).effect;

describe('permissions are granted by tool, resource, prompt and principal [S23]', () => {
  test('what no rule allows is denied', () => {
    const policy = createPolicy('version: 1\nrules: []');
    expect(policy.decide(request())).toMatchObject({ effect: 'deny', rule: undefined, reason: 'no-rule' });
  });

  test('deny comes before ask, and ask before allow, whatever their order', () => {
    const [allow, ask, deny] = ['allow', 'ask', 'deny'].map((one) => `{id: ${one}s, ${one}: [call], to: any, on: any}`);
    expect(policyOf(allow as string).evaluate(request())).toMatchObject({ effect: 'allow', rule: 'allows' });
    expect(policyOf(allow as string, ask as string).evaluate(request())).toMatchObject({ effect: 'ask', rule: 'asks' });
    const all = policyOf(allow as string, ask as string, deny as string);
    expect(all.evaluate(request())).toMatchObject({ effect: 'deny', rule: 'denys' });
  });

  test.each([
    ['any', '{}', undefined, true],
    ['authenticated', '{}', undefined, false],
    ['authenticated', '{}', alice(), true],
    ['{subject: alice}', '{}', alice(), true],
    ['{subject: alice}', '{}', undefined, false],
    ['{subject: Alice}', '{}', alice(), false],
    ['{issuer: https://id.example, subject: alice}', '{}', alice({ issuer: 'https://evil.example' }), false],
    ['{scope: [a, b]}', '{}', alice({ scopes: ['b'] }), true],
    ['{scope: a}', '{}', alice({ scopes: ['a:write'] }), false],
    ['{role: admin}', '{}', alice({ roles: ['admin'] }), true],
    ['{role: admin}', '{}', alice({ scopes: ['admin'] }), false],
    ['{client: cli}', '{}', alice({ client: 'cli' }), true],
    ['{client: cli}', '{}', alice(), false],
    ['{role: admin, scope: a}', '{}', alice({ roles: ['admin'] }), false],
  ])('to: %s', (to, _none, principal, allowed) => {
    const policy = policyOf(`{id: a, allow: [call], to: ${to}, on: any}`);
    expect(effectOf(policy, { principal })).toBe(allowed ? 'allow' : 'deny');
  });

  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['"::1"', '0:0:0:0:0:0:0:1', true],
    ['10.0.0.0/8', '010.0.0.1', false],
    ['10.0.0.0/8', 'localhost', false],
    ['10.0.0.0/8', undefined, false],
  ])('to: {network: %s} and the address %s', (network, address, allowed) => {
    const policy = policyOf(`{id: a, allow: [call], to: {network: [${network}]}, on: any}`);
    expect(effectOf(policy, { address })).toBe(allowed ? 'allow' : 'deny');
  });

  test('a network in a deny rule matches where the address is not known', () => {
    const policy = policyOf(
      '{id: in, allow: [call], to: any, on: any}',
      '{id: out, deny: [call], to: {network: 203.0.113.0/24}, on: any}',
    );
    expect(effectOf(policy, { address: '192.0.2.1' })).toBe('allow');
    expect(effectOf(policy, { address: '203.0.113.7' })).toBe('deny');
    expect(effectOf(policy, { address: undefined })).toBe('deny');
    expect(effectOf(policy, { address: 'unknown' })).toBe('deny');
  });

  test.each([
    ['{tool: deploy}', { tool: 'deploy' }, true],
    ['{tool: [a, deploy]}', { tool: 'deploy' }, true],
    ['{tool: "dep*"}', { tool: 'deploy' }, true],
    ['{tool: "*loy"}', { tool: 'deploy' }, true],
    ['{tool: "d*p*y"}', { tool: 'deploy' }, true],
    ['{tool: "d*x*y"}', { tool: 'deploy' }, false],
    ['{tool: "*"}', { tool: 'a/b' }, true],
    ['{tool: "*"}', { prompt: 'deploy' }, false],
    ['{prompt: deploy}', { tool: 'deploy' }, false],
    ['{tool: a, prompt: deploy}', { prompt: 'deploy' }, true],
    ['{server: docs}', { server: 'docs', tool: 'deploy' }, true],
    ['{server: docs, tool: deploy}', { server: 'other', tool: 'deploy' }, false],
    ['{server: docs, tool: deploy}', { tool: 'deploy' }, false],
    ['{resource: "file:///docs/*"}', { resource: 'file:///docs/a' }, true],
    ['{resource: "file:///docs/*"}', { resource: 'file:///docs/a/b' }, false],
    ['{resource: "file:///docs/**"}', { resource: 'file:///docs/a/b' }, true],
    ['{resource: "file:///*/b"}', { resource: 'file:///docs/b' }, true],
    ['{resource: "file:///**/b"}', { resource: 'file:///x/y/b' }, true],
    ['{resource: "**"}', { resource: 'note://x' }, true],
    ['{template: "note://{id}"}', { resource: 'note://x', template: 'note://{id}' }, true],
    ['{template: "note://*"}', { resource: 'note://x' }, false],
  ])('on: %s and %o', (on, target, allowed) => {
    const policy = policyOf(`{id: a, allow: [call], to: any, on: ${on}}`);
    expect(effectOf(policy, { target })).toBe(allowed ? 'allow' : 'deny');
  });

  test.each(['list', 'call', 'read', 'subscribe', 'get', 'complete', 'sample', 'elicit'] as const)(
    'a rule about %s allows nothing else',
    (action) => {
      const policy = policyOf(`{id: a, allow: [${action}], to: any, on: any}`);
      const actions = ['list', 'call', 'read', 'subscribe', 'get', 'complete', 'sample', 'elicit'] as const;
      expect(actions.filter((one) => effectOf(policy, { action: one }) === 'allow')).toEqual([action]);
    },
  );
});

describe('the approvers of a call', () => {
  const ops = '{id: ops, ask: [call], to: any, on: {tool: deploy}, approver: {role: ops}, expires: 2h}';
  const self = '{id: self, ask: [call], to: any, on: any}';
  const lead = `{id: lead, ask: [call], to: any, on: {tool: "dep*"}, approver: {subject: lead}, expires: 1h, when: 'args.env == "prod"'}`;
  const all = '{id: all, allow: [call], to: any, on: any}';

  test('are those of the rule, and the caller where it names none', () => {
    expect(policyOf(ops).evaluate(request())).toMatchObject({ approvers: [{ role: ['ops'] }], expiresMs: 7_200_000 });
    expect(policyOf(self).evaluate(request())).toMatchObject({ approvers: [], expiresMs: undefined });
    expect(policyOf(all).evaluate(request())).toMatchObject({ effect: 'allow', approvers: [] });
  });

  test.each([
    ['ops', [ops, self, lead]],
    ['self', [self, lead, ops]],
    ['lead', [lead, self, ops]],
  ])('are those of all rules that ask, whichever comes first: %s', (first, rules) => {
    const { rule, approvers, expiresMs } = policyOf(...rules).evaluate(request({ arguments: { env: 'prod' } }));
    expect(rule).toBe(first);
    expect(approvers).toHaveLength(2);
    expect(approvers).toEqual(expect.arrayContaining([{ role: ['ops'] }, { subject: ['lead'] }]));
    expect(expiresMs).toBe(3_600_000);
  });

  test('are those of a rule whose condition fails, too', () => {
    expect(policyOf(self, lead).evaluate(request())).toMatchObject({
      rule: 'self',
      approvers: [{ subject: ['lead'] }],
    });
    expect(policyOf(self, lead).evaluate(request({ arguments: { env: 'test' } })).approvers).toEqual([]);
    expect(policyOf(all, lead).evaluate(request())).toMatchObject({ rule: 'lead', approvers: [{ subject: ['lead'] }] });
  });
});

describe('conditions', () => {
  const prod = '{id: prod, deny: [call], to: any, on: {tool: deploy}, when: \'args.env == "prod"\'}';
  const all = '{id: all, allow: [call], to: any, on: any}';

  test('a deny rule holds where its condition is true or fails', () => {
    const policy = policyOf(all, prod);
    expect(effectOf(policy, { arguments: { env: 'test' } })).toBe('allow');
    expect(effectOf(policy, { arguments: { env: 'prod' } })).toBe('deny');
    expect(effectOf(policy, { arguments: {} })).toBe('deny');
    expect(effectOf(policy)).toBe('deny');
    expect(effectOf(policy, { arguments: { env: 'test', padding: 'x'.repeat(70_000) } })).toBe('deny');
  });

  test('an allow rule does not hold where its condition fails', () => {
    const policy = policyOf("{id: small, allow: [call], to: any, on: any, when: 'args.amount < 100'}");
    expect(effectOf(policy, { arguments: { amount: 5 } })).toBe('allow');
    expect(effectOf(policy, { arguments: { amount: 99.5 } })).toBe('allow');
    expect(effectOf(policy, { arguments: { amount: 500 } })).toBe('deny');
    expect(effectOf(policy, { arguments: { amount: '5' } })).toBe('deny');
    expect(effectOf(policy, { arguments: {} })).toBe('deny');
  });

  test('an ask rule whose condition fails never asks on its own, and turns an allow into a question', () => {
    const large = "{id: large, ask: [call], to: any, on: any, when: 'args.amount > 100', remember: session}";
    expect(effectOf(policyOf(large), { arguments: {} })).toBe('deny');
    expect(policyOf(large, all).evaluate(request({ arguments: {} }))).toMatchObject({ effect: 'ask', rule: 'large' });
    expect(effectOf(policyOf(large, all), { arguments: { amount: 5 } })).toBe('allow');
    expect(effectOf(policyOf(large, all), { arguments: { amount: 500 } })).toBe('ask');
  });

  test.each([
    ['args.n + 1 == 6', true],
    ['args.list.exists(x, x == "b") && !("c" in args.list)', true],
    ['has(args.gone)', false],
    ['args.path.startsWith("/docs/") && args.path.matches("^/docs/[a-z]+$")', true],
    ['args.path.contains("..")', false],
    ['"files:read" in principal.scopes && principal.claims.team == "web"', true],
    ['has(principal.client)', false],
    ['principal.client == ""', false],
    ['principal.client != "cli"', false],
    ['address == "10.0.0.1" && action == "call" && target.tool == "deploy"', true],
    ['args.constructor == "own"', true],
    ['has(args.toString) || has(args.hasOwnProperty)', false],
  ])('%s', (when, holds) => {
    const policy = policyOf(`{id: a, allow: [call], to: any, on: any, when: '${when}'}`);
    const principal = alice({ scopes: ['files:read'], claims: { team: 'web' } });
    const args = { n: 5, list: ['a', 'b'], path: '/docs/readme', constructor: 'own' };
    const effect = effectOf(policy, { principal, address: '10.0.0.1', arguments: args });
    expect(effect).toBe(holds ? 'allow' : 'deny');
  });
});

describe('a decision is explained', () => {
  const policy = policyOf(
    '{id: all, allow: [call], to: {scope: deploy}, on: {tool: deploy}}',
    '{id: prod, deny: [call], to: any, on: {tool: deploy}, when: \'args.env == "prod"\'}',
    '{id: mail, ask: [call], to: any, on: {tool: mail}, when: \'args.to != ""\', remember: 30d, exactCall: true}',
  );
  const textOf = (rest: Partial<DecisionRequest>) => policy.explain(policy.decide(request(rest)).decisionId)?.text;

  test('by its rule and condition [S23]', () => {
    expect(textOf({ arguments: { env: 'prod' } })).toBe(
      'Rule prod (line 4): deny, because its condition args.env == "prod" is true.',
    );
    expect(textOf({ arguments: {} })).toContain('failed: no such key: env');
    expect(textOf({ arguments: { env: 'test' } })).toBe('Denied: no rule allows call.');
    expect(textOf({ action: 'elicit' })).toBe('Denied: no rule allows elicit.');
    expect(textOf({ target: { tool: 'mail' }, arguments: {} })).toContain('the condition of rule mail (line 5)');
    expect(textOf({ target: { resource: 'file:///a/../b' } })).toContain('has a segment . or ..');
  });

  test('with every rule of its action, and without the arguments', () => {
    const { decisionId } = policy.decide(request({ arguments: { env: 'test', token: 'secret' } }));
    const found = policy.explain(decisionId);
    expect(found?.rules).toEqual([
      { rule: 'all', effect: 'allow', line: 3, to: 'no', on: 'yes' },
      {
        rule: 'prod',
        effect: 'deny',
        line: 4,
        to: 'yes',
        on: 'yes',
        when: { text: 'args.env == "prod"', match: 'no' },
      },
      { rule: 'mail', effect: 'ask', line: 5, to: 'yes', on: 'no' },
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test('an answer of the user holds as long as its rule says', () => {
    const decision = policy.decide(request({ target: { tool: 'mail' }, arguments: { to: 'bob' } }));
    expect(decision).toMatchObject({
      effect: 'ask',
      rule: 'mail',
      remember: { forMs: 2_592_000_000 },
      exactCall: true,
    });
  });

  test('only the newest decisions are remembered, and only those of this policy', () => {
    const small = createPolicy('version: 1\nrules: []', withFixed({}, { maxDecisions: 3 }));
    const ids = Array.from({ length: 5 }, () => small.decide(request()).decisionId);
    expect(ids.map((id) => small.explain(id) !== undefined)).toEqual([false, false, true, true, true]);
    expect(new Set(ids).size).toBe(5);
    expect(policy.explain(ids[4] as string)).toBeUndefined();
    expect([small.explain(''), small.explain('__proto__'), small.explain(`${ids[4]}-1`)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('lists show what the action list allows [S23]', () => {
  const policy = policyOf(
    '{id: public, allow: [list, call], to: any, on: {tool: search}}',
    '{id: ops, allow: [list, call], to: {role: ops}, on: {tool: deploy}}',
  );
  const visible = (tool: string, roles: readonly string[]) =>
    policy.visible({ principal: alice({ roles }), target: { tool } });
  expect([visible('search', []), visible('deploy', []), visible('deploy', ['ops'])]).toEqual([true, false, true]);
  expect(policy.visible({ action: 'read', target: { tool: 'search' } })).toBe(false);
});

test('assertions inside the document are run, and name their line', () => {
  const policy = createPolicy(`version: 1
rules:
  - {id: read, allow: [list, call], to: {scope: files:read}, on: {server: docs, tool: "files_*"}}
  - {id: prod, deny: [call], to: any, on: {tool: deploy}, when: 'args.env == "prod"'}
tests:
  - {as: {scopes: [files:read]}, call: deploy, expect: prod}
  - {as: {scopes: [files:read]}, call: {server: docs, tool: files_get}, expect: read}
  - {call: deploy, args: {env: test}, expect: default}
  - {call: deploy, expect: allow}
`);
  const { passed, results } = runPolicyTests(policy);
  expect(passed).toBe(false);
  expect(results.map((one) => one.passed)).toEqual([true, true, true, false]);
  expect(results[3]?.text).toBe('line 9: call deploy: expected allow, got deny by the rule prod');
});
