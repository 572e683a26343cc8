/** An engine in the memory of this process: it answers at once. */
import { risingClock } from '../../lib/time/rising-clock.ts';
import { checkOps } from '../check-ops.ts';
import { type Op, type Ran, type StoreDriver, type Taken, type TakeRequest } from '../driver.ts';
import { maxBucketChars } from './buckets.ts';
import { failureOf } from './conditions.ts';
import { applyOp, deleteLoose } from './effects.ts';
import { nameIn, shownRow } from './rows.ts';
import { logOf, memoryState } from './state.ts';

/** What an engine in memory needs. */
export interface MemoryDriverOptions {
  /** The clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** How many buckets that are not full are stored, and how many characters their keys have together: further ones are shared. */
  readonly maxBuckets?: number;
  readonly maxBucketChars?: number;
}

/** An engine whose results are there at once. */
export interface MemoryDriver extends StoreDriver {
  run(partition: string, ops: readonly Op[]): Ran;
  take(request: TakeRequest): readonly Taken[];
  subscribe(topic: string, onMessage: (text: string) => void, onMissed?: () => void): () => void;
  sweep(max: number): number;
  /** Loses everything. For tests. */
  clear(): void;
}

export function createMemoryDriver(options: MemoryDriverOptions = {}): MemoryDriver {
  const { now: clock = () => Date.now(), maxBuckets = 100_000, maxBucketChars: maxChars = maxBucketChars } = options;
  const state = memoryState(maxBuckets, maxChars);
  const { rows, logs, buckets, subscribers, loose } = state;
  // Made when it is read: workers allow no random values at module scope, where a server is created.
  let epoch: string | undefined;
  const time = risingClock(clock);

  /** Deletes what has expired, so that nothing else has to look. */
  function moment(): number {
    const now = time();
    rows.expire(now);
    if (loose.size > 0) deleteLoose(state, now);
    return now;
  }

  return {
    name: 'memory',
    durability: 'memory',
    get epoch() {
      return (epoch ??= crypto.randomUUID());
    },
    run(name, ops) {
      checkOps(ops);
      const now = moment();
      const [only] = ops;
      // Reading one row is what happens most: it has no condition, and makes no partition.
      if (ops.length === 1 && only?.op === 'get') return { now, results: [rows.read(name, only.key)] };
      const failed = failureOf(state, name, ops, now);
      if (failed !== undefined) return failed;
      const partition = rows.use(name);
      const results = ops.map((op) => applyOp(state, partition, op, now));
      rows.settle(partition);
      return { now, results };
    },
    take({ partitions, queues, max, holder, leaseMs, log }) {
      const now = moment();
      const places = partitions.flatMap((partition) =>
        queues.map((queue) => ({ name: nameIn(partition, queue), queue })),
      );
      const found: Taken[] = [];
      while (found.length < max) {
        const next = rows.take(places, now);
        if (next === undefined) break;
        const { row, queue } = next;
        rows.lease(row, queue, holder, leaseMs, now);
        const known = log === undefined ? undefined : logOf(row.partition, row.key, log);
        found.push({
          partition: row.partition.name,
          row: shownRow(row),
          ...(known && { log: logs.shownAfter(known, 0) }),
        });
      }
      return found;
    },
    subscribe(topic, onMessage, onMissed) {
      const unsubscribe = subscribers.add(topic, onMessage, onMissed);
      return () => void unsubscribe();
    },
    sweep(max) {
      const now = time();
      deleteLoose(state, now);
      return rows.expire(now, max);
    },
    logShares: () => logs.shares(),
    shrinkLogs: (maxChars, shares, { partition, row, log }) =>
      logs.shrink(maxChars, shares, logOf(rows.find(partition), row, log)),
    async close() {},
    clear() {
      rows.clear();
      logs.clear();
      loose.clear();
      buckets.clear();
      epoch = undefined;
    },
  };
}
