import { expect, it, vi } from 'vitest';
import { runSafely } from './run-safely.ts';

const mine = new Error('mine');

it('a callback that throws, or whose promise rejects, is reported', async () => {
  const reported: unknown[] = [];
  runSafely(
    () => {
      throw mine;
    },
    (cause) => reported.push(cause),
  );
  expect(reported).toEqual([mine]);
  await new Promise<void>((resolve) =>
    runSafely(
      async () => {
        throw mine;
      },
      (cause) => {
        reported.push(cause);
        resolve();
      },
    ),
  );
  expect(reported).toEqual([mine, mine]);
});

it('a promise that rejects is handled even without a reporter, or with one that throws', () => {
  const first = Promise.reject(mine);
  const second = Promise.reject(mine);
  const handled = [vi.spyOn(first, 'then'), vi.spyOn(second, 'then')];
  runSafely(() => first);
  runSafely(
    () => second,
    () => {
      throw mine;
    },
  );
  for (const then of handled) expect(then).toHaveBeenCalledWith(undefined, expect.any(Function));
});
