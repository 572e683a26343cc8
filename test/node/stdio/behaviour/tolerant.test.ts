import { describe, vi } from 'vitest';
import { overPipes, pipeTransports } from './pipes.ts';
import { loadBehaviour } from './suites.ts';

vi.mock('tenon', async (original) => overPipes(await original(), false));
vi.mock('tenon/transport', async (original) => ({
  ...(await original<object>()),
  createMemoryTransports: pipeTransports,
}));

describe('over pipes, tolerant', async () => {
  await loadBehaviour();
});
