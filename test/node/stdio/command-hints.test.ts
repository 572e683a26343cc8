/** What a command or its server lacks is told with the mend that works. */

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

it('a server that ends for want of a variable: it is said which are passed on', async () => {
  const error = await failure(program(`if (process.env.API_KEY === undefined) process.exit(1)`));
  expect(error).toMatchObject({ code: 'server-exited', hint: expect.stringMatching(/in a terminal.*variable.*"env"/) });
});

it('a command in one text, which is no address: it is said how it is written', async () => {
  const error = await failure(`node server.js 'it'`);
  expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('it is not a URL') });
  expect(error.hint).toContain(`connect({ command: 'node', args: ['server.js', '\\'it\\''] })`);
});

it.each([
  ['npx srv --api-key=sesame', 'npx srv …', `{ command: 'npx', args: ['srv', …] }`],
  ['npx -y @scope/srv --api-key sesame', 'npx -y @scope/srv …', `{ command: 'npx', args: ['-y', '@scope/srv', …] }`],
  ['API_KEY=sesame npx srv', '… …', '{ command: …, args: […] }'],
])('a command in one text may hold a secret, which is not shown: %s', async (text, shown, fixed) => {
  for (const error of [await failure(text), await failure({ url: text }), await failure({ command: text })])
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('sesame');
  const error = await failure(text);
  expect(error.message).toContain(`connect() cannot connect to "${shown}": it is not a URL`);
  expect(error.hint).toContain(`connect(${fixed})`);
});

it.each([['https://exa mple.com/mcp'], ['example.com']])('%s is taken for no command', async (text) => {
  const error = await failure(text);
  expect(error.code).toBe('invalid-argument');
  expect(error.hint).not.toContain('command:');
});

it('a process that may open no more files: it is said so', async () => {
  const file = await bundledProgram('client-without-files');
  const shell = spawn('/bin/sh', ['-c', 'ulimit -n 200 && exec "$0" "$1"', process.execPath, file]);
  const [text, [code]] = await withTimeout(
    Promise.all([shell.stdout.setEncoding('utf8').toArray(), once(shell, 'close')]),
    'the client without files',
  );
  expect(code).toBe(0);
  expect(JSON.parse(text.join(''))).toMatchObject({
    code: 'spawn-failed',
    hint: expect.stringContaining('ulimit -n'),
  });
});
