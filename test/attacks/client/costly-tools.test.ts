/** What the tools and results of a server say costs an agent no more than their size, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { CostlyToolReport } from '../fixtures/costly-tools.ts';

const fixture = await bundledProgram('costly-tools', 'attacks');

/** Each takes a few seconds at most, and far more than the limit on the wait where its cost grows faster than its size. */
const timeout = 120_000;

/** Runs an attack with a heap of 256 MB. A process that runs out of memory, or does not end, fails the test. */
async function attacked(name: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name], {
    timeout,
  });
  return (JSON.parse(stdout) as CostlyToolReport).found;
}

it.each<[string, unknown]>([
  ['descriptions of 20,000 capital letters', ['http']],
  ['an image of a million signs of padding', 1],
  ['audio of a million signs of padding', 1],
  ['a null for a schema that consists of itself, 100 times', { a: null }],
  ['an optional argument of 8 levels, each of which is ten times the one below', true],
  ['a union at the root of itself, 100 times', true],
  ['4,000 schemas for one argument', true],
  ['7,000 alternatives at the root', true],
  ['9,000 arguments beside 25,000 schemas', true],
  ['a large schema that 1,000 references name, each in another spelling', true],
  ['a long description that 2,500 references name', true],
])('%s [S24]', async (name, found) => {
  expect(await attacked(name)).toEqual(found);
});
