/** Inputs that cost much more than their size: each ends by name, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { CostlyInputReport } from '../fixtures/costly-inputs.ts';

const fixture = await bundledProgram('costly-inputs', 'attacks');

/** Runs an attack with a heap of 256 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<CostlyInputReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name]);
  return JSON.parse(stdout) as CostlyInputReport;
}

const tooManySteps = 'functions on texts take more than 4000000 steps';

it.each([
  ['300 finished tasks with a million characters each', { task: 300 }],
  ['a URI of 3.6 million characters for 20 templates', { 'params.ref has more than 8192 characters': 1 }],
  ['a schema of 60 levels that doubles, compared', { breaks: 1 }],
  ['types of a schema of 60 levels that doubles', { types: 1 }],
  ['a capture of 100,000 connections', { '100000 calls': 1 }],
  ['the size of a text for each of 1,000 values', { [tooManySteps]: 1 }],
  ['a counted repetition on 20,000 characters', { [tooManySteps]: 1 }],
  ['20,000 names of tools that do not exist, under 300 rules', { deny: 20_000 }],
])('%s [S24]', async (name, answers) => {
  expect((await attacked(name)).answers).toEqual(answers);
});
