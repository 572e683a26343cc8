/** Turns: one at a time, servers by rotation, and none that is stuck. */
import { expect, it } from 'vitest';
import { createQuestionQueue } from './question-queue.ts';

const live = new AbortController().signal;

/** Runs that end when told to, in the order they began. */
function stage() {
  const turns = createQuestionQueue();
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const take = (server: string, signal = live): Promise<string> =>
    turns.ask(server, signal, () => {
      begun.push(server);
      return new Promise((resolve) => ends.push(() => resolve(server)));
    });
  return { begun, take, end: () => ends.shift()?.() };
}

it('one runs at a time, and a server that asks a lot does not keep another waiting', async () => {
  const turns = createQuestionQueue();
  const events: string[] = [];
  const take = (server: string): Promise<void> =>
    turns.ask(server, live, async () => {
      events.push(server);
      await Promise.resolve();
      events.push('end');
    });
  await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(take));
  expect(events).toEqual(['a', 'b', 'a', 'c', 'b', 'a'].flatMap((server) => [server, 'end']));
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
  const turns = createQuestionQueue();
  const failing = turns.ask('a', live, () => Promise.reject(new Error('failed')));
  const next = turns.ask('b', live, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
  await expect(turns.ask('a', AbortSignal.abort(new Error('early')), async () => 'never')).rejects.toThrow('early');
});
