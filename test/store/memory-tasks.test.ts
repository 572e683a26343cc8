/** Tasks in memory keep the contract of a store of tasks. */
import { createMemoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { testTasks } from './task-contract.ts';

testTasks('in memory', () => {
  let moment = 1_700_000_000_000;
  const { tasks, bus } = createMemoryStore({ now: () => moment });
  return {
    tasks,
    bus,
    advance: (ms) => {
      moment += ms;
    },
  };
});

it('tasks in memory have times in whole milliseconds without a clock of a test: clients get them', async () => {
  const { tasks } = createMemoryStore();
  const made = await tasks.create(
    { id: '0-t', owner: 'ann', kind: 'k@', data: '', entries: [], endsInMs: 1000 },
    { maxLive: 1, maxStored: 1, maxInShard: 1 },
  );
  if (typeof made === 'string') throw new Error(made);
  const { createdAt, updatedAt, endsAt, now } = made.task;
  expect([createdAt, updatedAt, endsAt, now].every(Number.isInteger)).toBe(true);
});
