import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDeadlines } from '../../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import { createMemoryStore } from '../../../../store/memory.ts';
import { Liveness } from './liveness.ts';

const timeoutMs = 3000;

function start() {
  const clock = createFakeClock();
  const nodes = createMemoryStore({ now: clock.now }).nodes;
  const beats: string[] = [];
  const warnings: unknown[] = [];
  const dead: string[][] = [];
  let fails = false;
  const liveness = new Liveness({
    node: 'a',
    nodes: {
      async beat(node, ttlMs) {
        if (fails) throw new Error('away');
        beats.push(`${node} ${ttlMs}`);
        return nodes.beat(node, ttlMs);
      },
      leave: (node) => nodes.leave(node),
    },
    timeoutMs,
    deadlines: createDeadlines(clock),
    follower: { followed: () => new Set(['b', 'c']), onReport: (found) => dead.push([...found]) },
    warn: (error) => warnings.push(error),
  });
  /** Lets time pass, a third of the time-out at a time. */
  async function pass(times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      clock.advance(timeoutMs / 3);
      await setImmediate();
    }
  }
  return { clock, nodes, beats, warnings, dead, liveness, pass, fail: (is: boolean) => void (fails = is) };
}

it('a node reports once joined, three times within the time-out, until it leaves; nothing waits after that [S20]', async () => {
  const { clock, nodes, beats, liveness, pass } = start();
  await pass(3);
  expect([beats, clock.pending]).toEqual([[], 0]);
  await Promise.all([liveness.join(), liveness.join()]);
  expect(beats).toEqual(['a 3000']);
  expect(liveness.join()).toBeUndefined();
  await pass(3);
  expect(beats).toHaveLength(4);
  await liveness.leave();
  await pass(3);
  expect([beats.length, clock.pending, nodes.beat('test', 1)]).toEqual([4, 0, ['test']]);
});

it('joining fails while the store does, and works after that [S20]', async () => {
  const { liveness, fail, beats } = start();
  fail(true);
  await expect(liveness.join()).rejects.toThrow('away');
  fail(false);
  await liveness.join();
  expect(beats).toHaveLength(1);
});

it('a node warns once while it cannot report, and declares no one dead until it has reported for the time-out again [S20]', async () => {
  const { nodes, liveness, fail, warnings, dead, pass } = start();
  nodes.beat('b', 1_000_000);
  await liveness.join();
  await pass(4);
  expect(dead).toEqual([[], [], ['c'], ['c']]);
  fail(true);
  await pass(5);
  expect(warnings).toMatchObject([{ code: 'store-failed' }]);
  expect(dead).toHaveLength(4);
  fail(false);
  await pass(4);
  expect(dead.slice(4)).toEqual([[], [], [], ['c']]);
});

it('a node that was paused itself waits before it declares others dead [S20]', async () => {
  const { liveness, clock, dead, pass } = start();
  await liveness.join();
  await pass(3);
  expect(dead.at(-1)).toEqual(['b', 'c']);
  // Nothing ran meanwhile: the timer fires late.
  const { now } = clock;
  clock.now = () => now() + timeoutMs * 5;
  await pass(3);
  expect(dead.slice(3)).toEqual([[], [], []]);
  await pass(1);
  expect(dead.at(-1)).toEqual(['b', 'c']);
});
