/** What a server or a file of others says costs a client no more than its size, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { CostlyAnswerReport } from '../fixtures/costly-answers.ts';

const fixture = await bundledProgram('costly-answers', 'attacks');

/** Each takes less than a second, and far more than the limit on the wait where its cost grows faster than its size. */
const timeout = 120_000;

/** Runs an attack with a heap of 256 MB. A process that runs out of memory, or does not end, fails the test. */
async function attacked(name: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name], {
    timeout,
  });
  return (JSON.parse(stdout) as CostlyAnswerReport).found;
}

it.each<[string, unknown]>([
  ['an image of a million signs of padding', '[image, image/png, 750000 bytes]'],
  ['50,000 texts beside structured content of 100,000 values', true],
  ['a schema with an ID of 400,000 signs of fragments', 'object'],
  ['an app that begins with 60 comments, and is no document', 'invalid-definition'],
  ['an app that begins with 100,000 comments', 'a document'],
  ['a capture of 50,000 calls that ask for input', 50_000],
  ['a capture of 100,000 open calls, and as much progress of others', 0],
  ['a capture of 100,000 open calls, and as many logs', 0],
  ['a page of 30,000 tools that are not valid, and as many unknown fields', []],
  ['a tool with 60,000 parameters in headers', 60_000],
  ['messages for sampling with 100,000 uses of tools', 'valid'],
  ['an event stream with 2,000,000 lines that mean nothing', { warnings: 100, events: 1 }],
  ['an enum of 20,000 values, compared', 'breaks'],
  ['4,000 patterns, compared', 'undecided'],
  ['50,000 capabilities, compared', 100_000],
  ['types of 100,000 tools with one name', true],
  ['a form with 100,000 choices', 100_000],
  ['a form with the choices of two lists', 49_999],
  ['a form of 9,000 parts', 9000],
  ['a form with 5,000 options beside 5,000 fields', 'json'],
  ['a form with 100,000 fields, of which as many are required', 100_000],
])('%s [S24]', async (name, found) => {
  expect(await attacked(name)).toEqual(found);
});
