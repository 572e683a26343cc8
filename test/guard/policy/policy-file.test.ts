import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { TenonError } from '../../../src/lib/errors/tenon-error.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { policyFile } from '../../../src/node/entries/guard.ts';
import { openPolicyFile } from '../../../src/node/guard/policy-file.ts';
import type { PolicyFileOptions } from '../../../src/node/guard/policy-options.ts';
import { withFixed } from '../../kit/fixed-limits.ts';

const allow = 'version: 1\nrules:\n  - {id: all, allow: [call], to: any, on: any}\n';
const deny = 'version: 1\nrules:\n  - {id: none, deny: [call], to: any, on: any}\n';
const wrong = 'version: 1\nrules:\n  - {id: all, alow: [call], to: any, on: any}\n';
const call = { action: 'call', target: { tool: 'deploy' } } as const;

function newFile(text?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-policy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'policy.yaml');
  if (text !== undefined) writeFileSync(path, text);
  return path;
}

/** A policy in a file whose clock the test moves. */
function open(path: string, options: PolicyFileOptions = {}) {
  const clock = createFakeClock();
  const warnings: TenonError[] = [];
  const changes: string[] = [];
  const policy = openPolicyFile(path, { onWarning: (one) => warnings.push(one), ...options }, clock);
  onTestFinished(() => policy.close());
  policy.onChange(({ digest }) => changes.push(digest));
  return { policy, clock, warnings, changes, effect: () => policy.evaluate(call).effect };
}

/** Passes time, and waits until the file was looked at. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  while (clock.pending === 0) await setImmediate();
}

/** Long enough to see a change, and to read it. */
async function settle(clock: FakeClock): Promise<void> {
  await pass(clock, 2000);
  await pass(clock, 2000);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a policy in a file is reloaded without a restart [S23]', async () => {
  const path = newFile(allow);
  const { policy, clock, changes, warnings, effect } = open(path);
  expect([effect(), policy.digest, policy.path]).toEqual(['allow', digestOf(allow), path]);
  writeFileSync(path, deny);
  expect(effect()).toBe('allow');
  await settle(clock);
  expect([effect(), policy.digest, policy.rules[0]?.id]).toEqual(['deny', digestOf(deny), 'none']);
  expect([changes, warnings]).toEqual([[digestOf(deny)], []]);
});

test('a bad document changes nothing, and is reported once with line and column', async () => {
  const path = newFile(allow);
  const { clock, warnings, changes, effect } = open(path);
  writeFileSync(path, wrong);
  await settle(clock);
  await settle(clock);
  expect([effect(), changes]).toEqual(['allow', []]);
  expect(warnings).toMatchObject([{ code: 'invalid-policy', details: { problems: [{ line: 3 }, { line: 3 }] } }]);
  expect(warnings[0]?.message).toMatch(/policy\.yaml:3:15: .*Did you mean allow\?[^]*The policy stays as it was\.$/);
  writeFileSync(path, deny);
  await settle(clock);
  expect([effect(), warnings.length]).toEqual(['deny', 1]);
});

test('a document whose own tests fail is a bad document', async () => {
  const path = newFile(allow);
  const { clock, warnings, effect } = open(path);
  const text = `${deny}tests:\n  - {call: deploy, expect: allow}\n`;
  writeFileSync(path, text);
  await settle(clock);
  expect(effect()).toBe('allow');
  expect(warnings[0]?.message).toContain(
    'policy.yaml:5:5: tests: line 5: call deploy: expected allow, got deny by the rule none.',
  );
  expect(() => policyFile(path)).toThrow(expect.objectContaining({ code: 'invalid-policy' }));
});

test('a file that is replaced, as editors do, is the new file', async () => {
  const path = newFile(allow);
  const { clock, effect } = open(path);
  writeFileSync(`${path}.new`, deny);
  renameSync(`${path}.new`, path);
  await settle(clock);
  expect(effect()).toBe('deny');
});

test('a link that points to another file, as in containers, is the new file', async () => {
  const [first, second, path] = [newFile(allow), newFile(deny), newFile()];
  symlinkSync(first, path);
  const { clock, effect } = open(path);
  symlinkSync(second, `${path}.new`);
  renameSync(`${path}.new`, path);
  await settle(clock);
  expect(effect()).toBe('deny');
});

test('a file that is gone is reported, and read when it is back', async () => {
  const path = newFile(allow);
  const { clock, warnings, changes, effect } = open(path);
  unlinkSync(path);
  await settle(clock);
  await settle(clock);
  expect([effect(), warnings.length]).toEqual(['allow', 1]);
  expect(warnings[0]?.message).toContain('there is no such file');
  writeFileSync(path, allow);
  await settle(clock);
  expect([effect(), changes]).toEqual(['allow', []]);
  writeFileSync(path, deny);
  await settle(clock);
  expect([effect(), warnings.length]).toEqual(['deny', 1]);
});

test('a file that is still being written is not read', async () => {
  const path = newFile(deny);
  const { clock, warnings, effect } = open(path);
  // Each part is a valid policy without the deny rule at its end.
  const parts = [allow, `${allow}# more\n`, `${allow}# and more\n`];
  await pass(clock, 2000);
  for (const part of parts) {
    writeFileSync(path, part);
    // A pause that any writer may make; an unchanged stamp is not enough, as some file systems count whole seconds.
    await pass(clock, 2000);
    expect(effect()).toBe('deny');
  }
  writeFileSync(path, `${allow}  - {id: none, deny: [call], to: any, on: any}\n`);
  await settle(clock);
  expect([effect(), warnings]).toEqual(['deny', []]);
});

test('what was half written when the program started is read again', async () => {
  const path = newFile(allow);
  const { clock, effect } = open(path);
  const finished = `${allow}  - {id: none, deny: [call], to: any, on: any}\n`;
  writeFileSync(path, finished);
  await settle(clock);
  expect(effect()).toBe('deny');
});

test('decisions of an older document stay explained by it', async () => {
  const path = newFile(`# a comment\n${allow}`);
  const { policy, clock } = open(path, withFixed({}, { maxDecisions: 2 }));
  const { decisionId } = policy.decide(call);
  expect(policy.explain(decisionId)).toMatchObject({ rule: 'all', outdated: false });
  writeFileSync(path, deny);
  await settle(clock);
  const explained = policy.explain(decisionId);
  expect(explained).toMatchObject({ effect: 'allow', rule: 'all', outdated: true, rules: [{ rule: 'all', line: 4 }] });
  expect(explained?.text).toBe('Rule all (line 4): allow. Lines are those of an older document.');
  expect(policy.explain(policy.decide(call).decisionId)).toMatchObject({ rule: 'none', outdated: false });
  policy.decide(call);
  expect(policy.explain(decisionId)).toBeUndefined();
});

test('reload() reads at once: it returns whether the policy changed, and throws for a bad document', () => {
  const path = newFile(allow);
  const { policy, effect } = open(path);
  expect(policy.reload()).toBe(false);
  writeFileSync(path, deny);
  expect([policy.reload(), policy.reload(), effect()]).toEqual([true, false, 'deny']);
  writeFileSync(path, wrong);
  expect(() => policy.reload()).toThrow(expect.objectContaining({ code: 'invalid-policy' }));
  expect(effect()).toBe('deny');
});

test('a listener that throws stops neither the others nor the reload', () => {
  const path = newFile(allow);
  const { policy, warnings, changes, effect } = open(path);
  const stop = policy.onChange(() => {
    throw new Error('listener');
  });
  policy.onChange(({ previousDigest }) => changes.push(previousDigest));
  writeFileSync(path, deny);
  policy.reload();
  expect([effect(), changes]).toEqual(['deny', [digestOf(deny), digestOf(allow)]]);
  expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { message: 'listener' } }]);
  stop();
  writeFileSync(path, allow);
  policy.reload();
  expect(warnings).toHaveLength(1);
});

test('a warning that cannot be delivered does not stop the policy', async () => {
  const path = newFile(allow);
  const onWarning = () => {
    throw new Error('no log');
  };
  const { clock, effect } = open(path, { onWarning });
  writeFileSync(path, wrong);
  await settle(clock);
  writeFileSync(path, deny);
  await settle(clock);
  expect(effect()).toBe('deny');
});

test('after close() the file is not looked at, and the policy decides as before', async () => {
  const path = newFile(allow);
  const { policy, clock, effect } = open(path);
  clock.advance(2000);
  policy.close();
  writeFileSync(path, deny);
  await setImmediate();
  expect([clock.pending, effect()]).toEqual([0, 'allow']);
});

test.each([
  ['a file that does not exist', (path: string) => path, 'there is no such file'],
  ['a folder', (path: string) => join(path, '..'), 'it is not a file'],
  [
    'a pipe',
    (path: string) => {
      execFileSync('mkfifo', [path]);
      return path;
    },
    'it is not a file',
  ],
  [
    'a file that is too large',
    (path: string) => {
      writeFileSync(path, '#'.repeat(800_000));
      return path;
    },
    'more than 786435 bytes',
  ],
  [
    'bytes that are not UTF-8',
    (path: string) => {
      writeFileSync(path, Buffer.from([0x76, 0xff, 0xfe]));
      return path;
    },
    'it is not UTF-8',
  ],
])('%s is refused at the start', (_name, make, words) => {
  const path = make(newFile());
  expect(() => policyFile(path)).toThrow(
    expect.objectContaining({ code: 'invalid-policy', message: expect.stringContaining(words) }),
  );
});

test('a byte order mark and the line ends of Windows are read', () => {
  const path = newFile(`\ufeff${allow.replaceAll('\n', '\r\n')}`);
  const policy = policyFile(path);
  expect(policy.evaluate(call).effect).toBe('allow');
  expect(policy.rules[0]).toMatchObject({ line: 3, column: 5 });
  policy.close();
});

test('the file keeps no program alive', () => {
  const path = newFile(allow);
  const program = `import { policyFile } from 'tenon/guard'; policyFile(${JSON.stringify(path)}); console.log('end');`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('end\n');
});

test('options are checked', () => {
  const path = newFile(allow);
  expect(() => policyFile('')).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => policyFile(path, { onError: () => {} } as never)).toThrow('Did you mean onWarning?');
  expect(() => policyFile(path, { fileName: 'a' } as never)).toThrow('fileName is not an option');
});

test.each([
  ['pollMs', 2000],
  ['maxDecisions', 10_000],
])('%s is fixed', (name, value) => {
  expect(() => policyFile('policy.yaml', { [name]: value })).toThrow(`${name} is fixed at ${value}. Remove it.`);
});
