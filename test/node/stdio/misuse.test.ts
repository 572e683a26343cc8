/** `serveStdio` throws where it cannot work, and then leaves standard output alone. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { call, endAll, handshake, messagesIn, startRaw } from '../../kit/process/raw-process.ts';

let misused = '';
let printing = '';
let copy = '';
beforeAll(async () => {
  [misused, printing, copy] = (await Promise.all(
    ['misused', 'printing-server', 'guarding-module'].map((name) => bundledProgram(name)),
  )) as [string, string, string];
});
afterEach(endAll);

it('invalid options are refused with invalid-argument before standard output is redirected', async () => {
  const program = startRaw('options', { nodeArgs: [misused] });
  expect(await program.ended).toEqual({ code: 0, signal: null });
  const refused = Array.from({ length: 13 }, () => 'invalid-argument');
  expect(JSON.parse(program.lines[0] ?? '')).toEqual(refused);
});

it('a second server on the same streams is refused, and the first one keeps serving', async () => {
  const program = startRaw('twice', { nodeArgs: [misused] });
  await program.wrote('already-open');
  program.send(handshake());
  expect(await program.answer('hello')).toHaveProperty('result');
  program.child.stdin.end();
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

it('two copies of the package in one process share one guard of standard output', async () => {
  const program = startRaw(printing, { nodeArgs: ['--import', copy] });
  program.send(call(1, 'print'));
  await program.answer(1);
  program.child.stdin.end();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  const end = program.lines.indexOf('printed after the end');
  expect(messagesIn(program.lines.slice(0, end)).map(({ id }) => id)).toEqual([1]);
});
