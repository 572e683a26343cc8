/** Code of a server that closes standard output does not close it, and gets a warning. */
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { call, endAll, messagesIn, type RawProcess, resultText, startRaw } from '../../kit/process/raw-process.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('odd-streams');
});
afterEach(endAll);

const odd = (manner: string): RawProcess => startRaw(manner, { nodeArgs: [file] });

it('a server whose code closes standard output continues, with one warning for each place in the code', async () => {
  const program = odd('');
  program.send(call(1, 'close'));
  const ways = resultText(await program.answer(1))?.split(';') ?? [];
  expect(ways.length).toBe(9);
  program.send(call(2, 'greet'));
  await program.answer(2);
  program.child.stdin.end();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(messagesIn(program.lines).map(({ id }) => id)).toEqual([1, 2]);
  const warnings = program
    .stderr()
    .split('\n')
    .filter((line) => line.includes('closed standard output, which carries the protocol; it stays open.'));
  // A file stream and a pipeline close later, without the caller on the stack: both count as one unknown place.
  const named = warnings.filter((warning) => /odd-streams\.mjs:\d+:\d+/.test(warning));
  expect([new Set(named).size, warnings.length]).toEqual([ways.length - 2, ways.length - 1]);
  expect(program.stderr()).toContain('by a file stream');
  expect(program.stderr()).toContain('by a pipeline');
});

it('a server whose code corks standard output still answers, with a warning that names the place', async () => {
  const program = odd('');
  program.send(call(1, 'cork'));
  expect(resultText(await program.answer(1))).toBe('corked');
  const warning = /odd-streams\.mjs:\d+:\d+\)? held back standard output, .*; it flows on\./;
  await vi.waitFor(() => expect(program.stderr()).toMatch(warning));
});

it('a server whose code pauses standard input still receives the next call', async () => {
  const program = odd('');
  program.send(call(1, 'pause'));
  expect(resultText(await program.answer(1))).toBe('paused');
  program.send(call(2, 'greet'));
  expect(resultText(await program.answer(2))).toBe('Grüß Gott ☃');
});

it('a server whose code destroys standard output with an error exits with 1 and writes that error', async () => {
  const program = odd('');
  program.send(call(1, 'fail'));
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain('it fell over');
});

it('a server whose standard output is closed when it starts exits with 1 and a message', async () => {
  const program = odd('output is destroyed');
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain('The output was closed by the process that serves on it.');
});
