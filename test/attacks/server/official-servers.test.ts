/** Servers of the official SDK behind the bridge: one caller fills neither their memory nor their instances, and holds none up. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { OfficialServerReport } from '../fixtures/official-servers.ts';

const fixture = await bundledProgram('official-servers', 'attacks');

/** Runs an attack with a heap of 256 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<OfficialServerReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name]);
  return JSON.parse(stdout) as OfficialServerReport;
}

const refused = 'Too many calls wait for answers of their clients.';

describe('a client that never answers', () => {
  it.each([
    ['large calls of a bridged server', `200 MCP error -32603: ${refused}`],
    ['large calls of converted handlers', `200 ${refused}`],
  ])('has as many %s as fit into its share of characters [S24, S36]', async (name, refusal) => {
    const { answers, other } = await attacked(name);
    // A third of 32 Mi characters: an address shares what callers without a principal may have.
    expect(answers).toEqual({ '200 input_required': 3, [refusal]: 97 });
    expect(other).toBe('200 quick');
  });

  it('uses no more instances of a bridged server than it leaves to others [S24, S36]', async () => {
    const { answers, other } = await attacked('small calls of a bridged server');
    expect(answers['200 input_required']).toBe(34);
    expect(other).toBe('200 quick');
  });
});

it('a URI that the SDK would compare with a template for hours is refused [S24, S36]', async () => {
  const { answers, other } = await attacked('a URI of dashes for a template with dashes');
  const refusal = 'The URI is too long for a template of several variables between two slashes';
  expect(answers).toEqual({ [`200 ${refusal}`]: 1 });
  expect(other).toBe('200 quick');
});
