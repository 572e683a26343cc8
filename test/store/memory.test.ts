/** The memory store fulfils the contract of stores, and returns its results without promises. */

import { createMemoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { asyncStore } from '../kit/async-store.ts';
import { testStore } from './contract.ts';

for (const [name, make] of [
  ['in memory', createMemoryStore],
  ['in memory, with promises', asyncStore],
] as const)
  testStore(name, () => {
    let moment = 1_000_000;
    const now = (): number => moment;
    const store = make({ now });
    return {
      store,
      now,
      advance(ms) {
        moment += ms;
      },
      lose: () => store.clear(),
    };
  });

it('the memory store does not subtract the size of an awaited event twice when its stream is deleted', () => {
  let moment = 0;
  const { events, sessions } = createMemoryStore({ now: () => moment });
  const limits = { maxStreamChars: 1000, maxSessionChars: 1000, maxTotalStoredChars: 9_000_000, maxStreams: 1 };
  events.append('a', '1', 'x'.repeat(800), limits);
  events.append('a', '1', 'y'.repeat(5000), { ...limits, isAwaited: true });
  events.end('a', '1');
  events.append('a', '2', 'x'.repeat(800), limits);
  moment += 60_000;
  sessions.deleteExpired();
  events.end('a', '2');
  events.append('a', '3', 'x'.repeat(800), { ...limits, maxStreams: 100 });
  expect(['1', '2', '3'].filter((stream) => events.readAfter('a', stream, 0) !== undefined)).toEqual(['3']);
});

it('the memory store returns no promises', () => {
  const { sessions, events } = createMemoryStore();
  const limits = { maxStreamChars: 100, maxSessionChars: 1_000_000, maxTotalStoredChars: 9_000_000, maxStreams: 1 };
  const results = [
    sessions.create('a', { head: '' }, Date.now() + 1000),
    sessions.read('a'),
    sessions.update('a', {}),
    events.append('a', '1', 'x', limits),
    events.readAfter('a', '1', 0),
    sessions.delete('a'),
  ];
  expect(results.some((one) => one instanceof Promise)).toBe(false);
});
