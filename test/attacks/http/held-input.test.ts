/** Clients that make a server hold much of what they send: it is limited as a whole, in a process with a small heap. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { HeldInputReport } from '../fixtures/held-input.ts';

const fixture = await bundledProgram('held-input', 'attacks');

/** Runs an attack with a heap of 512 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<HeldInputReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=512', fixture, name]);
  return JSON.parse(stdout) as HeldInputReport;
}

it('a body in 400,000 chunks of one byte takes the memory of a body of 400,000 bytes [S24]', async () => {
  const { statuses, other, peakMb } = await attacked('a body in chunks of one byte');
  expect([statuses, other]).toEqual([{ 400: 1 }, 200]);
  expect(peakMb).toBeLessThan(150);
});

it('bodies of a Request that arrive byte by byte take the memory of their bytes [S24]', async () => {
  const { other, peakMb } = await attacked('bodies of a Request in single bytes');
  expect(other).toBe(200);
  expect(peakMb).toBeLessThan(180);
});

it.each([
  'bodies that never end',
  'calls with large arguments',
  'sessions with large capabilities',
  'subscriptions to long URIs',
])('%s get 429 once their sender has its share, and another caller is served [S24, S31]', async (name) => {
  const { statuses, other, peakMb } = await attacked(name);
  expect(other).toBe(200);
  // A share of 16 Mi bytes: 4 of the bodies and calls, about 30 of the sessions.
  expect(statuses[429]).toBeGreaterThanOrEqual(15);
  expect(peakMb).toBeLessThan(250);
});
