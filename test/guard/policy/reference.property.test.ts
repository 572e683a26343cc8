import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPolicy, type DecisionRequest, policyActions, policyEffects } from '../../../src/guard/index.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { conditions, referenceDecision } from './reference.ts';

const some = <T>(...values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const maybe = <T>(inner: fc.Arbitrary<T>) => fc.option(inner, { nil: undefined });
const fields = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] }).filter((one) => Object.keys(one).length > 0);

const to = fc.oneof(
  fc.constantFrom('any' as const, 'authenticated' as const),
  fields({
    issuer: some('i', 'j'),
    subject: some('alice', 'bob'),
    scope: some('read', 'write'),
    role: some('ops', 'dev'),
    client: some('cli', 'web'),
    network: some('10.0.0.0/8', '11.0.0.0/8', 'fd12::/16'),
  }),
);
const names = ['a', 'ab', 'abc', 'b'] as const;
const namePatterns = [...names, '*', 'a*', '*b', 'a*c', '*b*'] as const;
const exactUris = ['x:/a', 'x:/a/b', 'x:/a%2Fb', 'x:/a%20b', 'x:/a?b', 'x:/%21'] as const;
const on = fc.oneof(
  fc.constant('any' as const),
  fields({
    server: some('docs', 'd*'),
    tool: some(...namePatterns),
    prompt: some(...namePatterns),
    resource: some(...exactUris, 'x:/*', 'x:/**', 'x:/a/*', 'x:/*/b', '**', 'x:/**/b', 'x:/a*', 'x:/a?*', 'x:/**c'),
    template: some('x:/{v}', 'x:/*'),
  }),
  // Rules about exact names are found by an index.
  fields({
    tool: some(...names),
    prompt: some(...names),
    resource: some(...exactUris),
    template: some('x:/{v}', 'x:/{+w}'),
  }),
);
const rule = fc.record({
  effect: fc.constantFrom(...policyEffects),
  actions: some(...policyActions),
  to,
  on,
  when: maybe(fc.constantFrom(...Object.keys(conditions))),
});

const principal = fc
  .record({
    issuer: fc.constantFrom('i', 'j'),
    subject: fc.constantFrom('alice', 'bob'),
    client: maybe(fc.constantFrom('cli', 'web')),
    scopes: fc.subarray(['read', 'write']),
    roles: fc.subarray(['ops', 'dev']),
    claims: fc.constantFrom<Record<string, unknown>>({}, { team: 'web' }, { team: 'ops' }),
  })
  .map(createPrincipal);
const resource = fc.constantFrom(
  'x:/a',
  'x:/a/b',
  'x:/a%2Fb',
  'x:/a/b/c',
  'x:/b',
  'x:/a/../b',
  'y:/a',
  'x:/a%20b',
  'x:/a?b',
  'x:/a#b',
  'x:/a%20b?b',
  'x:/!',
  'x:/%21',
  'x:/a/?x/b',
);
const server = maybe(fc.constantFrom('docs', 'other'));
const target = fc.oneof(
  fc.record({ server, tool: fc.constantFrom(...names) }),
  fc.record({ server, prompt: fc.constantFrom(...names) }),
  fc.record({ server, resource, template: maybe(fc.constantFrom('x:/{v}', 'x:/{+w}')) }),
);
const request: fc.Arbitrary<DecisionRequest> = fc.record({
  principal: maybe(principal),
  address: maybe(fc.constantFrom('10.1.1.1', '11.1.1.1', '12.1.1.1', 'fd12::1', 'fd13::1')),
  action: fc.constantFrom(...policyActions),
  target,
  arguments: maybe(
    fc.record(
      {
        env: fc.constantFrom('prod', 'test'),
        n: fc.constantFrom<unknown>(1, 3.5, 4, 'x'),
        list: fc.subarray(['a', 'b']),
      },
      { requiredKeys: [] },
    ),
  ),
});

const runs = scaled(100, 50_000);

test(`the compiled policy decides as the plainly written one does, for ${inWords(runs)} random policies [S23]`, () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 8 }),
      fc.array(request, { minLength: 1, maxLength: 5 }),
      (rules, requests) => {
        // A user is not asked about lists.
        const written = rules.map(({ effect, actions, when, ...rest }, n) => ({
          id: `r${n}`,
          [effect]: effect === 'ask' ? [...actions.filter((one) => one !== 'list'), 'get'] : actions,
          ...rest,
          ...(when !== undefined && { when }),
        }));
        const policy = createPolicy(JSON.stringify({ version: 1, rules: written }));
        for (const one of requests) {
          const { effect, rule: named } = policy.decide(one);
          expect({ effect, rule: named }).toEqual(referenceDecision(policy.rules, one));
        }
      },
    ),
    { seed: 19, numRuns: runs },
  );
});
