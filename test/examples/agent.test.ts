/** The example agent with its scripted model: it searches, calls two tools at once, reads more, is refused and asked. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const run = promisify(execFile);
const main = ['--import', 'tsx', 'examples/agent/main.ts'];
const { ANTHROPIC_API_KEY: _one, OPENAI_API_KEY: _other, ...env } = process.env;

test('the example agent runs without a network', async () => {
  const { stdout, stderr } = await run(process.execPath, main, { cwd: root, env });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^2 tools: find_tools$/);
  expect(stdout).toContain('tools: notes__read and notes__export');
  expect(stdout).toContain('  Tea, bread');
  expect(stdout).toContain('Denied: The tool remove of notes was not called: notes are not deleted today.');
  expect(stdout).toContain('  Shared shopping with Ada');
  expect(lines.at(-1)).toBe('Your shopping note was read and shared. It was not removed.');
});

test('with a key, the example agent names the SDK to install', async () => {
  const running = run(process.execPath, main, { cwd: root, env: { ...env, OPENAI_API_KEY: 'none' } });
  await expect(running).rejects.toMatchObject({ stderr: expect.stringContaining('npm install --no-save openai') });
});
