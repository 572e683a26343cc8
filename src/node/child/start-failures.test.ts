/** The error for a program that the system could not start has a hint that fits. */
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { startFailed } from './start-failures.ts';

it.each([
  ['E2BIG', 'spawn-failed', /in a file/],
  ['EAGAIN', 'spawn-failed', /ulimit -u/],
  ['EMFILE', 'spawn-failed', /ulimit -n/],
  ['ENFILE', 'spawn-failed', /too many open files/],
  ['ENOMEM', 'spawn-failed', /memory/],
  ['EACCES', 'spawn-failed', /executable/],
  ['ENOENT', 'command-not-found', /interpreter/],
])('%s gives %s', (systemCode, code, hint) => {
  const cause = Object.assign(new Error(`spawn ${systemCode}`), { code: systemCode });
  const error = startFailed({ command: 'tool', args: ['--token', 'sesame'] }, cause);
  expect(error).toMatchObject({ code, cause, hint: expect.stringMatching(hint) });
  expect(error.message).toContain(`tool --token … could not be started: spawn ${systemCode}`);
});

it('the arguments that Node adds to the error are left out', () => {
  const cause = Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG', spawnargs: ['--token', 'sesame'] });
  expect(inspect(startFailed({ command: 'tool' }, cause))).not.toContain('sesame');
});
