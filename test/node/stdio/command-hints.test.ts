/** Errors about a command or its server have a hint that solves the problem. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type TenonError } from 'tenon';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const failure = async (target: Parameters<typeof connect>[0]): Promise<TenonError> =>
  connect(target).then(
    () => Promise.reject(new Error('It connected.')),
    (error: TenonError) => error,
  );

it('if a server exits because a variable is not set, the hint names the "env" option', async () => {
  const error = await failure(program(`if (process.env.API_KEY === undefined) process.exit(1)`));
  expect(error).toMatchObject({ code: 'server-exited', hint: expect.stringMatching(/in a terminal.*variable.*"env"/) });
});

it('if a command is passed as one string, the hint shows it as { command, args }', async () => {
  const error = await failure(`node server.js 'it'`);
  expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('it is not a URL') });
  expect(error.hint).toContain(`connect({ command: 'node', args: ['server.js', '\\'it\\''] })`);
});

it.each([
  ['npx srv --api-key=sesame', 'npx srv …', `{ command: 'npx', args: ['srv', …] }`],
  ['npx -y @scope/srv --api-key sesame', 'npx -y @scope/srv …', `{ command: 'npx', args: ['-y', '@scope/srv', …] }`],
  ['API_KEY=sesame npx srv', '… …', '{ command: …, args: […] }'],
])('secrets in a command passed as one string are not shown: %s', async (text, shown, fixed) => {
  for (const error of [await failure(text), await failure({ url: text }), await failure({ command: text })])
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('sesame');
  const error = await failure(text);
  expect(error.message).toContain(`connect() cannot connect to "${shown}": it is not a URL`);
  expect(error.hint).toContain(`connect(${fixed})`);
});

it.each([
  ['./server.js', `{ command: 'node', args: ['./server.js'] }`],
  ['server.mjs', `{ command: 'node', args: ['server.mjs'] }`],
  ['/opt/server.py', `{ command: 'python3', args: ['/opt/server.py'] }`],
  ['../bin/server', `{ command: '../bin/server' }`],
])('if the path %s is passed, the hint shows the command', async (path, command) => {
  const error = await failure(path);
  expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('it is not a URL') });
  expect(error.hint).toContain(`connect(${command})`);
});

it.each([['https://exa mple.com/mcp'], ['example.com']])('%s is not taken for a command', async (text) => {
  const error = await failure(text);
  expect(error.code).toBe('invalid-argument');
  expect(error.hint).not.toContain('command:');
});

it('if the process can open no more files, the hint names ulimit', async () => {
  const file = await bundledProgram('client-without-files');
  const shell = spawn('/bin/sh', ['-c', 'ulimit -n 200 && exec "$0" "$1"', process.execPath, file]);
  const [text, [code]] = await withTimeout(
    Promise.all([shell.stdout.setEncoding('utf8').toArray(), once(shell, 'close')]),
    'the client at its limit of open files',
  );
  expect(code).toBe(0);
  expect(JSON.parse(text.join(''))).toMatchObject({
    code: 'spawn-failed',
    hint: expect.stringContaining('ulimit -n'),
  });
});
