/** The behaviour suite of the kernel over byte streams, strict and tolerant. */
import { beforeAll, describe, vi } from 'vitest';
import { overPipes, pipeTransports } from './pipes.ts';
import { loadBehaviour } from './suites.ts';

const mode = vi.hoisted(() => ({ strict: true }));

vi.mock('tenon', async (original) => overPipes(await original(), () => mode.strict));
vi.mock('tenon/transport', async (original) => ({
  ...(await original<object>()),
  createMemoryTransports: pipeTransports,
}));

describe.each([
  ['strict', true],
  ['tolerant', false],
] as const)('over pipes, %s', async (name, strict) => {
  beforeAll(() => {
    mode.strict = strict;
  });
  await loadBehaviour(name);
});
