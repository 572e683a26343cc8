import { expect, it, vi } from 'vitest';
import { runSafely } from './run-safely.ts';

const mine = new Error('mine');

it('what a user wrote is heard of when it throws, and when its promise rejects', async () => {
  const heard: unknown[] = [];
  runSafely(
    () => {
      throw mine;
    },
    (cause) => heard.push(cause),
  );
  expect(heard).toEqual([mine]);
  await new Promise<void>((resolve) =>
    runSafely(
      async () => {
        throw mine;
      },
      (cause) => {
        heard.push(cause);
        resolve();
      },
    ),
  );
  expect(heard).toEqual([mine, mine]);
});

it('a promise that rejects is handled also where nobody wants to hear of it, or whoever hears throws too', () => {
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
