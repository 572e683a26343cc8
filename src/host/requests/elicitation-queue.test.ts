/** Elicitations run one at a time, the servers in rotation, and none blocks the others. */
import { expect, it } from 'vitest';
import { createElicitationQueue } from './elicitation-queue.ts';

const live = new AbortController().signal;

/** Runs that finish when `end` is called, in the order in which they started. */
function stage() {
  const queue = createElicitationQueue();
  const started: string[] = [];
  const ends: Array<() => void> = [];
  const add = (server: string, signal = live): Promise<string> =>
    queue.run(server, signal, () => {
      started.push(server);
      return new Promise((resolve) => ends.push(() => resolve(server)));
    });
  return { started, add, end: () => ends.shift()?.() };
}

it('one runs at a time, and a server with many requests does not delay the others', async () => {
  const queue = createElicitationQueue();
  const events: string[] = [];
  const add = (server: string): Promise<void> =>
    queue.run(server, live, async () => {
      events.push(server);
      await Promise.resolve();
      events.push('end');
    });
  await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(add));
  expect(events).toEqual(['a', 'b', 'a', 'c', 'b', 'a'].flatMap((server) => [server, 'end']));
});

it('a waiting request that is aborted is skipped, and a running one that is aborted lets the next start', async () => {
  const { started, add, end } = stage();
  const running = new AbortController();
  const waiting = new AbortController();
  const first = add('a', running.signal);
  const second = add('b', waiting.signal);
  const third = add('c');
  waiting.abort(new Error('aborted waiting'));
  await expect(second).rejects.toThrow('aborted waiting');
  running.abort(new Error('aborted running'));
  await expect(first).rejects.toThrow('aborted running');
  await expect.poll(() => started).toEqual(['a', 'c']);
  end();
  end();
  expect(await third).toBe('c');
});

it('a run that fails lets the next start', async () => {
  const queue = createElicitationQueue();
  const failing = queue.run('a', live, () => Promise.reject(new Error('failed')));
  const next = queue.run('b', live, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
  await expect(queue.run('a', AbortSignal.abort(new Error('early')), async () => 'never')).rejects.toThrow('early');
});
