/** Clients that make a server hold much for them: what it stores and queues is limited as a whole, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import type { HeldReport } from './fixtures/held-output.ts';

const fixture = await bundledProgram('held-output', 'attacks');

/** Runs an attack with a heap of 512 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<HeldReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=512', fixture, name]);
  return JSON.parse(stdout) as HeldReport;
}

it('calls of 102 sessions that send much progress lose their oldest streams, whose clients get 400 by name [S20]', async () => {
  const { statuses, refused, peakMb } = await attacked('progress of 102 sessions');
  expect(statuses).toEqual([400, 200]);
  expect(JSON.parse(refused)).toMatchObject({ error: { message: 'The events after this one are no longer stored' } });
  expect(peakMb).toBeLessThan(450);
});
