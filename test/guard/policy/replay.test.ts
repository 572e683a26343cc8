import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  auditFolder,
  createPolicy,
  type DecisionChange,
  type DecisionFields,
  type DecisionRecord,
  type DecisionRequest,
  type Policy,
  replayDecisions,
  searchAudit,
} from '../../../src/node/entries/guard.ts';
import { createPrincipal } from '../../../src/ports/principal.ts';

const policyOf = (...rules: readonly string[]): Policy =>
  createPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`);

const all = '{id: all, allow: [call], to: any, on: any}';
const prod = '{id: prod, deny: [call], to: any, on: {tool: deploy}, when: \'args.env == "prod"\'}';
const team = '{id: team, deny: [call], to: any, on: {tool: deploy}, when: \'principal.claims.team != "web"\'}';
const deploy: DecisionRequest = { action: 'call', target: { tool: 'deploy' } };

async function changesOf(
  records: Iterable<DecisionFields | DecisionRecord> | AsyncIterable<DecisionFields | DecisionRecord>,
  policy: Policy,
): Promise<DecisionChange[]> {
  const changes: DecisionChange[] = [];
  for await (const change of replayDecisions(records, policy)) changes.push(change);
  return changes;
}

/** The fields of a record, as a guarded server writes them. */
function fieldsOf(policy: Policy, request: DecisionRequest) {
  const { principal, address, action, target } = request;
  const { decisionId, effect, rule, reason } = policy.decide(request);
  const who = principal && {
    principal: principal.key,
    issuer: principal.issuer,
    subject: principal.subject,
    client: principal.client,
    scopes: principal.scopes,
    roles: principal.roles,
  };
  return {
    who: { ...who, address },
    what: { method: 'tools/call', action, ...target, callId: 'c1', round: 0 },
    decision: { decisionId, effect, rule, reason },
    private: { arguments: request.arguments, ...(principal && { claims: principal.claims }) },
  };
}

test('past decisions that a new policy would change are listed', async () => {
  const before = policyOf(all);
  const recordOf = (one: DecisionRequest): DecisionRecord => ({ ...one, ...before.decide(one) });
  const records = [
    { ...deploy, arguments: { env: 'prod' } },
    { ...deploy, arguments: { env: 'test' } },
    { ...deploy, target: { tool: 'search' } },
  ].map(recordOf);
  const [change, ...others] = await changesOf(records, policyOf(all, prod));
  expect([change?.record, change?.outcome?.rule, change?.effects]).toEqual([records[0], 'prod', ['deny']]);
  expect(change?.text).toBe(
    `Decision ${records[0]?.decisionId} was allow by rule all, and would be deny by rule prod.`,
  );
  expect(others).toEqual([]);
});

test('the records of an audit log are replayed, and those whose private values are gone are said to be unknown [S24]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const audit = auditFolder(folder);
  const before = policyOf('{id: web, allow: [call], to: {role: web}, on: {tool: "*"}}');
  const principal = createPrincipal({ issuer: 'i', subject: 'ada', roles: ['web'], claims: { team: 'web' } });
  const address = '10.0.0.1';
  for (const [tool, env] of [
    ['deploy', 'prod'],
    ['deploy', 'test'],
    ['search', 'prod'],
  ]) {
    const request: DecisionRequest = { action: 'call', target: { tool }, principal, address, arguments: { env } };
    await audit.begin({ kind: 'call-start', ...fieldsOf(before, request) });
    await audit.append({ kind: 'call-end', what: { callId: 'c1' } });
  }
  await audit.append({ kind: 'decision', ...fieldsOf(before, { ...deploy, address }) });
  await audit.close();
  const after = policyOf('{id: web, allow: [call], to: {role: web}, on: {tool: "*"}}', prod);
  const found = await changesOf(searchAudit(folder, { includePrivate: true }), after);
  expect(found.map(({ outcome, effects }) => [outcome?.rule, effects])).toEqual([['prod', ['deny']]]);
  expect(found[0]?.record).toMatchObject({
    principal,
    address,
    arguments: { env: 'prod' },
    target: { tool: 'deploy' },
  });
  // Without the private values: both calls of deploy may change, the other two certainly do not.
  const unknown = await changesOf(searchAudit(folder), after);
  expect(unknown.map(({ outcome, effects }) => [outcome, effects])).toEqual([
    [undefined, ['deny', 'allow']],
    [undefined, ['deny', 'allow']],
  ]);
  expect(unknown[0]?.text).toMatch(
    /was allow by rule web; the new decision is unknown: the record has no arguments and claims\.$/,
  );
  expect(await changesOf(searchAudit(folder), policyOf('{id: x, deny: [call], to: any, on: any}', team))).toMatchObject(
    [{ effects: ['deny'], outcome: { rule: 'x' } }, { effects: ['deny'] }, { effects: ['deny'] }],
  );
});

test.each([
  ['claims that are not there', team, { sealed: { claims: '' } }, ['deny', 'allow']],
  [
    'claims, and a condition about arguments',
    prod,
    { sealed: { claims: '' }, private: { arguments: { env: 'test' } } },
    undefined,
  ],
  [
    'arguments, and a condition about claims',
    team,
    { sealed: { arguments: '' }, private: { claims: { team: 'web' } } },
    undefined,
  ],
  [
    'a request that was too long for its record',
    prod,
    { what: { omittedChars: 20_000 }, sealed: { 'record.what': '' } },
    ['deny', 'ask', 'allow'],
  ],
  [
    'a long request whose value is stored',
    prod,
    {
      what: { omittedChars: 9 },
      private: { 'record.what': { action: 'call', tool: 'deploy' }, arguments: { env: 'prod' } },
    },
    ['deny'],
  ],
])('a record without %s', async (_name, rule, fields, effects) => {
  const { decisionId, effect } = policyOf(all).decide(deploy);
  const record = {
    who: { principal: 'ada' },
    what: { action: 'call', tool: 'deploy' },
    decision: { decisionId, effect },
  };
  const [change] = await changesOf([{ ...record, ...fields }], policyOf(all, rule));
  expect(change?.effects).toEqual(effects);
});

test.each([
  {},
  { what: { action: 'call' } },
  { decision: { decisionId: 7, effect: 'deny' }, what: { action: 'call' } },
  { decision: { decisionId: 'x', effect: 'maybe' }, what: { action: 'call' } },
  { decision: { decisionId: 'x', effect: 'deny' }, what: { action: 'dance' } },
])('a record without a decision is skipped: %j', async (record) => {
  expect(await changesOf([record], policyOf(all))).toEqual([]);
});

test('a decision with known arguments is always one of the effects that were possible without them', () => {
  const conditions = [
    'args.n > 3',
    'has(args.n)',
    'args.n > 3 || principal.subject == "ada"',
    'args.n > 3 && address == "x"',
  ];
  const rule = fc.record({
    effect: fc.constantFrom('deny', 'ask', 'allow'),
    to: fc.constantFrom<unknown>('any', { network: '10.0.0.0/8' }),
    when: fc.option(fc.constantFrom(...conditions), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 5 }),
      fc.constantFrom<unknown>(1, 5, 'x', undefined),
      fc.boolean(),
      (rules, n, known) => {
        const written = rules.map(({ effect, to, when }, at) => ({
          id: `r${at}`,
          [effect]: 'call',
          to,
          on: 'any',
          ...(when && { when }),
        }));
        const policy = createPolicy(JSON.stringify({ version: 1, rules: written }));
        const request = {
          ...deploy,
          ...(known && { principal: createPrincipal('ada') }),
          arguments: n === undefined ? {} : { n },
        };
        const possible = policy.possibleEffects(
          { ...request, arguments: undefined },
          { arguments: true, claims: false },
        );
        expect(possible).toContain(policy.evaluate(request).effect);
      },
    ),
    { seed: 19, numRuns: 500 },
  );
});

test('records are read one at a time, so that a log of any length is replayed in little memory', async () => {
  let read = 0;
  function* endless(): Generator<DecisionFields> {
    for (;;) {
      read++;
      yield { what: { action: 'call', tool: 'deploy' }, decision: { decisionId: `d${read}`, effect: 'allow' } };
    }
  }
  const changes = replayDecisions(endless(), policyOf(prod));
  for (const expected of [1, 2, 3]) {
    const { value } = await changes.next();
    expect([value?.record.decisionId, read]).toEqual([`d${expected}`, expected]);
  }
  await changes.return();
});
