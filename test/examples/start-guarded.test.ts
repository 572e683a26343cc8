/** `npm start -- --guarded`: the demo with a policy and an audit log, without npm and the setup. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'tenon';
import { createPolicy, runPolicyTests } from 'tenon/guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { type Demo, demoOnStdio, startDemo } from './demo-program.ts';

let demo: Demo;
let folder = '';

beforeAll(async () => {
  demo = startDemo(['--guarded']);
  folder = await demo.printed('Audit log: ');
});
afterAll(async () => {
  demo.child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

test('its policy passes its own tests', () => {
  const text = readFileSync(join(root, 'examples/demo/guarded/policy.yaml'), 'utf8');
  expect(runPolicyTests(createPolicy(text)).passed).toBe(true);
});

test('the printed command shows a hidden tool, a refusal with its explanation, and a valid audit log [S23, S24]', async () => {
  const command = await demo.printed('A refused call: node ');
  const { stdout } = await promisify(execFile)(process.execPath, command.split(' '), { cwd: root });
  const [tools, hidden, refused, why, allowed, valid, ...calls] = stdout.trimEnd().split('\n');
  expect(tools).toMatch(/^Tools: .*weather/);
  expect(tools).not.toContain('write');
  expect(hidden).toContain('Unknown tool: write');
  expect(refused).toMatch(/^weather \{"city":"Atlantis"\}: permission-denied/);
  expect(why).toBe('  why: Rule real-cities (line 13): deny, because its condition args.city == "Atlantis" is true.');
  expect(allowed).toMatch(/^weather \{"city":"Rome"\}: It is \w+ in Rome$/);
  expect(valid).toMatch(/is valid: \d+ records/);
  expect(calls).toEqual(['  call-start weather', '  call-end result']);
});

test('the second printed command has a call approved by a second person, and the log proves it [S24]', async () => {
  const command = await demo.printed('A call that a second person approves: PASSWORD=');
  const [password = '', , ...words] = command.split(' ');
  const env = { ...process.env, PASSWORD: password };
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('Waiting for approval '));
  expect(lines.slice(0, 4)).toEqual([
    'grace reads: book {"city":"Oslo"}, and decides: approve',
    'book {"city":"Oslo"}: Booked Oslo for 2',
    'grace reads: book {"city":"Oslo"}, and decides: deny',
    expect.stringMatching(/^book \{"city":"Oslo"\}: permission-denied, Approval \w+ was denied.*As agreed$/),
  ]);
  const [valid, ...records] = lines.slice(4);
  expect(valid).toMatch(/is valid: \d+ records/);
  expect(records.filter((line) => line.includes('approval')).map((line) => line.replace(/ [2-9A-Z]{10}/, ''))).toEqual([
    '  approval-requested visitor',
    '  approval-decided approve grace',
    '  approval-used visitor',
    '  approval-requested visitor',
    '  approval-decided deny grace',
  ]);
});

test('the page of approvals needs the printed password', async () => {
  const url = (await demo.printed('Approvals: ')).split(' ')[0] as string;
  const refused = await fetch(url);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
});

test('on stdio it hides and refuses the same [S23]', async () => {
  const { args, ...target } = demoOnStdio();
  const lines: string[] = [];
  const client = await connect({ ...target, args: [...args, '--guarded'], stderr: (text: string) => lines.push(text) });
  expect((await client.tools.list().all()).map(({ name }) => name)).not.toContain('write');
  const refusal = (name: string, given: object) =>
    client.tools.call(name, given as never).catch((error: unknown) => error);
  expect(await refusal('write', {})).toMatchObject({ message: 'Unknown tool: write' });
  expect(await refusal('weather', { city: 'Atlantis' })).toMatchObject({ reason: 'permission-denied' });
  await client.close();
  await rm(lines.join('').replace('Audit log: ', '').trim(), { recursive: true, force: true });
});
