/** The store in memory keeps the contract, and gives at once what a call would else have to wait for. */
import { memoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { testStore } from './contract.ts';
import { laterStore } from './later-store.ts';

for (const [name, make] of [
  ['in memory', memoryStore],
  ['in memory, later', laterStore],
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

it('a store in memory answers without a promise', () => {
  const { sessions, events } = memoryStore();
  const limits = { maxKept: 100, maxStreams: 1 };
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
