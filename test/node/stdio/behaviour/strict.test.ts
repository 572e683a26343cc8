import { describe, vi } from 'vitest';
import { overPipes } from './pipes.ts';
import { loadBehaviour } from './suites.ts';

vi.mock('tenon', async (original) => overPipes(await original(), true));

describe('over pipes, strict', async () => {
  await loadBehaviour();
});
