/** The program of the thread is the one of its sources. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { programFile, programText } from '../../scripts/generate/worker/program-text.ts';

it('thread-program.ts is up to date with src/code-mode/worker: if not, run npm run generate', async () => {
  expect(readFileSync(programFile, 'utf8')).toBe(await programText());
});
