/** Clients that make a server hold much for them: what it stores and queues is limited as a whole, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { HeldReport } from '../fixtures/held-output.ts';

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

it.each(['80 answers of 10 MB that no client reads', '60 answers of 10 MB on one connection that is not read'])(
  '%s are dropped with a warning, and a client that reads is served [S31]',
  async (name) => {
    const { statuses, warnings, dropped, peakMb } = await attacked(name);
    expect(statuses).toEqual([200]);
    expect(dropped).toBe(warnings.length);
    expect(warnings[0]).toMatchObject({ code: 'queue-full', details: { maxTotalQueuedChars: 256 * 1024 * 1024 } });
    // The limit, and what a process takes to start and to make one answer.
    expect(peakMb).toBeLessThan(600);
  },
);
