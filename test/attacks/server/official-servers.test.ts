/** Handlers of the official SDK wait in the process while their client answers: one caller fills neither its memory nor its instances. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { WaitingHandlersReport } from '../fixtures/waiting-handlers.ts';

const fixture = await bundledProgram('waiting-handlers', 'attacks');

/** Runs an attack with a heap of 256 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<WaitingHandlersReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name]);
  return JSON.parse(stdout) as WaitingHandlersReport;
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
