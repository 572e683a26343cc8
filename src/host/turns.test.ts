/** Turns: one at a time, servers by rotation, and none that is stuck. */
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const live = new AbortController().signal;

/** Runs that end when told to, in the order they began. */
function stage() {
  const turns = createTurns();
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const take = (server: string, signal = live): Promise<string> =>
    turns.take(server, signal, () => {
      begun.push(server);
      return new Promise((resolve) => ends.push(() => resolve(server)));
    });
  return { begun, take, end: () => ends.shift()?.() };
}

it('one runs at a time, and a server that asks a lot does not keep another waiting', async () => {
  const { begun, take, end } = stage();
  const all = ['a', 'a', 'a', 'b', 'c', 'b'].map((server) => take(server));
  for (const one of [0, 3, 4, 1, 5, 2]) {
    await expect.poll(() => begun.length, { timeout: 5000 }).toBeGreaterThan(0);
    end();
    await all[one];
  }
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
});

it('who gives up while waiting is passed over, and who gives up while running lets the next begin', async () => {
  const { begun, take, end } = stage();
  const running = new AbortController();
  const waiting = new AbortController();
  const first = take('a', running.signal);
  const second = take('b', waiting.signal);
  const third = take('c');
  waiting.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  running.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await expect.poll(() => begun, { timeout: 5000 }).toEqual(['a', 'c']);
  end();
  end();
  expect(await third).toBe('c');
});

it('a run that fails lets the next begin', async () => {
  const turns = createTurns();
  const failing = turns.take('a', live, () => Promise.reject(new Error('failed')));
  const next = turns.take('b', live, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
  await expect(turns.take('a', AbortSignal.abort(new Error('early')), async () => 'never')).rejects.toThrow('early');
});
