/** The store in memory keeps the contract, and gives at once what a call would else have to wait for. */

import { memoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { asyncStore } from '../kit/async-store.ts';
import { testStore } from './contract.ts';

for (const [name, make] of [
  ['in memory', memoryStore],
  ['in memory, later', asyncStore],
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

it('a store in memory counts no awaited event twice that goes with its stream', () => {
  let moment = 0;
  const { events, sessions } = memoryStore({ now: () => moment });
  const limits = { maxKept: 1000, maxSessionKept: 1000, maxStreams: 1 };
  events.append('a', '1', 'x'.repeat(800), limits);
  events.append('a', '1', 'y'.repeat(5000), { ...limits, isAwaited: true });
  events.end('a', '1');
  events.append('a', '2', 'x'.repeat(800), limits);
  moment += 60_000;
  sessions.sweep();
  events.end('a', '2');
  events.append('a', '3', 'x'.repeat(800), { ...limits, maxStreams: 100 });
  expect(['1', '2', '3'].filter((stream) => events.after('a', stream, 0) !== undefined)).toEqual(['3']);
});

it('a store in memory answers without a promise', () => {
  const { sessions, events } = memoryStore();
  const limits = { maxKept: 100, maxSessionKept: 1_000_000, maxStreams: 1 };
  const given = [
    sessions.create('a', { head: '' }, Date.now() + 1000),
    sessions.read('a'),
    sessions.update('a', {}),
    events.append('a', '1', 'x', limits),
    events.after('a', '1', 0),
    sessions.revoke('a'),
  ];
  expect(given.some((one) => one instanceof Promise)).toBe(false);
});
