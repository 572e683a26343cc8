/** The policies of the guide, and the JSON Schema for editors, are those that createPolicy reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createPolicy, runPolicyTests } from '../../../src/guard/index.ts';
import { root } from '../../architecture/source-tree.ts';
import { readPage } from '../../docs/markdown.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const validate = new Ajv2020({ strict: false }).compile(JSON.parse(read('docs/guide/policy.schema.json')));
const policies = readPage(read('docs/guide/permissions.md'))
  .blocks.filter(({ language, marks }) => language === 'yaml' && !marks.includes('no-check'))
  .map(({ line, text }) => ({ line, text }));

test.each(policies)('the policy of the guide in line $line is valid, and its tests pass', ({ text }) => {
  expect(runPolicyTests(createPolicy(text)).results.filter(({ passed }) => !passed)).toEqual([]);
  expect(validate(parse(text)) || validate.errors).toBe(true);
});

describe('the JSON Schema refuses what createPolicy refuses', () => {
  const withRule = (rule: object) => ({ version: 1, rules: [{ id: 'a', to: 'any', on: 'any', ...rule }] });
  test.each([
    ['another version', { version: 2, rules: [] }],
    ['no rules', { version: 1 }],
    ['an unknown member', { version: 1, rules: [], rule: [] }],
    ['no effect', withRule({})],
    ['two effects', withRule({ allow: 'call', deny: 'read' })],
    ['an unknown action', withRule({ allow: ['cal'] })],
    ['asking about lists', withRule({ ask: ['list'] })],
    ['remember without ask', withRule({ allow: 'call', remember: '30d' })],
    ['an approver without ask', withRule({ allow: 'call', approver: 'caller' })],
    ['an approver of no kind', withRule({ ask: 'call', approver: {} })],
    ['an approver by its client', withRule({ ask: 'call', approver: { client: 'cli' } })],
    ['an unknown approver', withRule({ ask: 'call', approver: 'anyone' })],
    ['a wrong expiry', withRule({ ask: 'call', expires: 'session' })],
    ['a wrong time', withRule({ ask: 'call', remember: '30 days' })],
    ['an id that tests use', withRule({ id: 'deny', allow: 'call' })],
    ['no principals', withRule({ allow: 'call', to: {} })],
    ['unknown principals', withRule({ allow: 'call', to: { scopes: 'x' } })],
    ['unknown targets', withRule({ allow: 'call', on: { tools: 'x' } })],
    ['a test without an action', { version: 1, rules: [], tests: [{ expect: 'deny' }] }],
    ['a test with two actions', { version: 1, rules: [], tests: [{ call: 'x', get: 'y', expect: 'deny' }] }],
  ])('%s', (_name, document) => {
    expect(validate(document)).toBe(false);
    expect(() => createPolicy(JSON.stringify(document))).toThrow(expect.objectContaining({ code: 'invalid-policy' }));
  });
});

test('both accept every member', () => {
  const targets = { server: 's', tool: ['a', 'b*'], resource: 'x:/**', template: 'x:/{v}', prompt: 'p' };
  const to = { issuer: 'i', subject: 's', scope: ['a', 'b'], role: 'r', client: 'c', network: '10.0.0.0/8' };
  const document = {
    version: 1,
    description: 'All of it.',
    rules: [
      { id: 'a', ask: ['call'], to, on: targets, when: 'true', remember: '15m', exactCall: true, description: 'd' },
      { id: 'b', allow: 'list', to: 'authenticated', on: 'any' },
      { id: 'c', ask: 'call', to: 'any', on: { tool: 'c' }, approver: 'caller' },
      {
        id: 'd',
        ask: 'call',
        to: 'any',
        on: { tool: 'd' },
        approver: { role: ['a'], scope: 's', issuer: 'i', subject: 'x' },
        expires: '1h',
      },
    ],
    tests: [
      {
        as: { subject: 's', scopes: ['a'], roles: 'r', claims: {}, address: '10.0.0.1' },
        call: 'x',
        args: {},
        expect: 'deny',
      },
      { list: { tool: 'x' }, expect: 'default' },
      { elicit: 'server', expect: 'default' },
    ],
  };
  expect(validate(document) || validate.errors).toBe(true);
  expect(runPolicyTests(createPolicy(JSON.stringify(document))).passed).toBe(true);
});
