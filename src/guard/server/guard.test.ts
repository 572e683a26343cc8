import { describe, expect, it } from 'vitest';
import { createPolicy } from '../policy/policy.ts';
import { guard } from './guard.ts';

const text = (rules: string): string => `{ version: 1, rules: [${rules}] }`;
const open = '{ id: all, allow: [list, call], to: any, on: any }';
const policy = createPolicy(text(open));

describe('guard() rejects', () => {
  it.each([
    [undefined, /policy is missing/],
    [null, /options is not valid/],
    [
      {},
      /policy is missing\. policy must be the result of createPolicy\(text\), or on Node the path of its file, such as 'policy.yaml'/,
    ],
    [{ policy: 'rules' }, /policy is not valid/],
    [{ policy: { decide: () => {} } }, /policy is not valid/],
    [{ policy, audit: {} }, /audit is not valid\. audit must be an audit log, such as auditFolder/],
    [{ policy, limits: '100/min' }, /limits is not valid/],
    [
      { policy, limits: { perPrincipals: '1/s' } },
      /limits\.perPrincipals is not an option\. Did you mean limits\.perPrincipal\?/,
    ],
    [{ policy, server: '' }, /server is not valid/],
    [{ policy, audits: {} }, /audits is not an option\. Did you mean audit\?/],
    [{ policy, log: {} }, /log is not an option\. Did you mean audit\?/],
  ])('%j', (options, message) => {
    expect(() => guard(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(message) }),
    );
  });

  it('a policy that names servers, without the name of this one: its rules would never match [S23]', () => {
    const named = createPolicy(text(`${open}, { id: ours, deny: [call], to: any, on: { server: docs, tool: wipe } }`));
    expect(() => guard({ policy: named })).toThrow(
      /server must be the name of this server: the rule ours names servers/,
    );
    const feature = { tool: 'wipe' };
    const call = (server: string) =>
      guard({ policy: named, server })
        .begin({
          caller: { principal: undefined },
          method: 'tools/call',
          target: 'wipe',
          callId: 'a',
          round: 0,
          arguments: {},
        })
        .judge('call', [feature], {});
    expect(call('docs')).toMatchObject({ reason: 'permission-denied' });
    expect(call('other')).toBeUndefined();
  });
});

it('a guard without an audit log and limits decides without a promise', () => {
  const { begin, sees } = guard({ policy });
  const caller = { principal: undefined };
  expect(sees(caller, { tool: 'a' })).toBe(true);
  const call = begin({ caller, method: 'tools/call', target: 'a', callId: 'a', round: 0, arguments: {} });
  expect([call.admit('a'), call.judge('call', [{ tool: 'a' }], {}), call.start()]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(call.settle({ resultType: 'complete', result: {} })).toBeUndefined();
});
