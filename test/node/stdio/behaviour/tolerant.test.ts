import { describe, vi } from 'vitest';
import { overPipes } from './pipes.ts';
import { loadBehaviour } from './suites.ts';

vi.mock('tenon', async (original) => overPipes(await original(), false));

describe('over pipes, tolerant', async () => {
  await loadBehaviour();
});
