/** Task records on a real store against their model: any sequence of events, with records that are out of date. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import type { TaskRecord } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { scaled } from '../../../kit/long.ts';
import { Comparison } from './comparison.ts';
import { testedStores } from './task-stores.ts';

type Command = (comparison: Comparison) => Promise<void>;

/** An event of the worker that the record names, or names no more. */
const own = (make: (lease: { readonly node: string; readonly nonce: string }) => TaskEvent) => (record: TaskRecord) => {
  const { state } = record.task;
  return state.is === 'running' ? make(state.lease) : undefined;
};

const age = fc.nat({ max: 6 });
const changes = (eventOf: (record: TaskRecord) => TaskEvent | undefined): fc.Arbitrary<Command> =>
  age.map((old) => (comparison) => comparison.change(old, eventOf));

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(fc.constantFrom('ann', 'bob'), fc.constantFrom(undefined, undefined, 'k1', 'k2')).map(
    ([owner, key]): Command =>
      (comparison) =>
        comparison.create(owner, key),
  ),
  fc.tuple(fc.constantFrom('n1', 'n2'), fc.integer({ min: 1, max: 3 })).map(
    ([node, max]): Command =>
      (comparison) =>
        comparison.claim(node, max),
  ),
  fc.constantFrom('n1', 'n2').map(
    (node): Command =>
      (comparison) =>
        comparison.claimSuspect(node),
  ),
  changes(own((lease) => ({ type: 'beat', lease, progress: { progress: 1 } }))),
  changes(own((lease) => ({ type: 'beat', lease, hasStep: true }))),
  changes(own((lease) => ({ type: 'suspect', lease }))),
  changes(own((lease) => ({ type: 'park', lease, open: ['1.a', '1.b'] }))),
  changes(own((lease) => ({ type: 'retry', lease, afterMs: 5000, counts: true }))),
  changes(own((lease) => ({ type: 'retry', lease, afterMs: 0, counts: false }))),
  changes(own((lease) => ({ type: 'finish', lease, state: 'completed' }))),
  changes(() => ({ type: 'answer', keys: ['1.a'] })),
  changes(() => ({ type: 'answer', keys: ['1.b', 'unknown'] })),
  changes(() => ({ type: 'cancel' })),
  fc.constantFrom(1, 5000, 15_000, 60_000, 600_000).map(
    (ms): Command =>
      async ({ model }) =>
        model.advance(ms),
  ),
  fc.constant<Command>((comparison) => comparison.sweep()),
  fc.constant<Command>((comparison) => comparison.loseSweeper()),
);

describe.each(testedStores)('task records on %s', (_name, open) => {
  it('do what the transition table says, whatever happens and however old a record is [s-tasks-28]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (commands) => {
        const comparison = new Comparison();
        await comparison.open(open);
        try {
          for (const run of commands) await run(comparison);
          expect(await comparison.stored()).toEqual(comparison.model.shown());
        } finally {
          await comparison.close();
        }
      }),
      { numRuns: scaled(60, 2000) },
    );
  });
});
