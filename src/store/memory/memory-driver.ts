/** An engine in the memory of this process: it answers at once. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { risingClock } from '../../lib/time/rising-clock.ts';
import type {
  AppendOp,
  FailedRun,
  FailedWhy,
  Log,
  Op,
  OpResult,
  Ran,
  StoreDriver,
  Taken,
  TakeRequest,
} from '../driver.ts';
import { looseLogMs, maxOps, roundingMs } from '../driver.ts';
import { Subscribers } from '../nodes/subscribers.ts';
import { Buckets } from './buckets.ts';
import { type MemoryLog, MemoryLogs, type RowLogs } from './logs.ts';
import { holds, MemoryRows, nameIn, type Partition, shownRow, shownTimes } from './rows.ts';

/** What an engine in memory needs. */
export interface MemoryDriverOptions {
  /** The clock, in milliseconds since the Unix epoch. Default one that is never set back. */
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

/** In whole milliseconds: times are shown to clients. */
const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());

export function createMemoryDriver(options: MemoryDriverOptions = {}): MemoryDriver {
  const { now: clock = steadyNow, maxBuckets = 100_000, maxBucketChars = 16 * 1024 * 1024 } = options;
  const logs = new MemoryLogs();
  const rows = new MemoryRows((of) => logs.deleteAll(of));
  const buckets = new Buckets(maxBuckets, maxBucketChars);
  const subscribers = new Subscribers();
  /** Logs that were written to while they had no row, the one that goes first is first. */
  const loose = new Map<RowLogs, { readonly partition: Partition; readonly row: string; readonly until: number }>();
  let epoch = crypto.randomUUID();
  const time = risingClock(clock);

  /** Deletes what has expired, so that nothing else has to look. */
  function moment(): number {
    const now = time();
    rows.expire(now);
    if (loose.size > 0) deleteLoose(now);
    return now;
  }

  function deleteLoose(now: number): void {
    for (const [of, { partition, row, until }] of loose) {
      if (until > now) return;
      loose.delete(of);
      if (partition.logs?.get(row) !== of || partition.rows.has(row)) continue;
      trim(partition, row, 'all');
      rows.settle(partition);
    }
  }

  const logOf = (partition: Partition | undefined, row: string, log: string): MemoryLog | undefined =>
    partition?.logs?.get(row)?.byName.get(log);

  /** Why a run cannot be done, on the state before it. */
  function failure(name: string, ops: readonly Op[], now: number): FailedRun | undefined {
    const partition = rows.find(name);
    let waits: Waits | undefined;
    for (let failed = 0; failed < ops.length; failed++) {
      const op = ops[failed] as Op;
      if (op.op === 'tokens') {
        waits ??= new Waits();
        waits.add(failed, buckets.wait(nameIn(name, op.key), op.costMs, op.fullMs, now));
        continue;
      }
      // Further buckets may take longer.
      if (waits !== undefined && waits.longest > 0) continue;
      const refused = refusal(partition, op);
      if (refused !== undefined) return { now, failed, ...refused };
    }
    if (waits === undefined || waits.longest <= 0) return undefined;
    return { now, failed: waits.index, why: 'tokens', waitMs: Math.ceil(waits.longest) };
  }

  function refusal(partition: Partition | undefined, op: Op): Omit<FailedRun, 'now' | 'failed'> | undefined {
    if (op.op === 'append') {
      const log = logOf(partition, op.row, op.log);
      const why = appendRefusal(op, log);
      return why && { why, log: log && logs.shown(log) };
    }
    if (op.op !== 'put' && op.op !== 'delete') return undefined;
    const row = partition?.rows.get(op.key);
    if (!holds(op.when, row)) return { why: 'condition', row: row && shownRow(row) };
    if (op.op === 'delete') return undefined;
    const namesake = op.alias === undefined ? undefined : partition?.aliases?.get(op.alias);
    if (namesake !== undefined && namesake !== row) return { why: 'alias', row: shownRow(namesake) };
    const full = op.groups && rows.refusing(partition ?? emptyPartition, op);
    return full && { why: 'full', group: full.name };
  }

  function append(partition: Partition, op: AppendOp, now: number): Log {
    partition.logs ??= new Map();
    const of = partition.logs.get(op.row) ?? { byName: new Map(), ended: new Set(), chars: 0 };
    partition.logs.set(op.row, of);
    loose.delete(of);
    if (!partition.rows.has(op.row)) loose.set(of, { partition, row: op.row, until: now + looseLogMs });
    const log = of.byName.get(op.log) ?? logs.begin(of, op.log, op.note);
    if (op.mark !== undefined) log.mark = op.mark;
    if (op.isFollowed !== undefined) log.isFollowed = op.isFollowed;
    logs.append(log, op.entries);
    if (op.end) logs.end(log);
    if (op.room !== undefined) logs.makeRoom(log, op.room.maxLogs, op.room.maxChars);
    return logs.shown(log);
  }

  function trim(partition: Partition, row: string, steps: Extract<Op, { op: 'trim' }>['steps']): void {
    const of = partition.logs?.get(row);
    if (of === undefined) return;
    if (steps === 'all') logs.deleteAll(of);
    else logs.trim(of, steps);
    if (of.byName.size === 0) partition.logs?.delete(row);
  }

  function apply(partition: Partition, op: Op, now: number): OpResult {
    switch (op.op) {
      case 'put':
        return shownTimes(rows.put(partition, op, now));
      case 'delete': {
        const row = partition.rows.get(op.key);
        if (row !== undefined) rows.delete(row);
        return row !== undefined;
      }
      case 'get': {
        const row = partition.rows.get(op.key);
        return row && shownRow(row);
      }
      case 'list':
        return rows.list(partition, op.group, op.after ?? 0, op.max).map(shownRow);
      case 'append':
        return append(partition, op, now);
      case 'entries': {
        const log = logOf(partition, op.row, op.log);
        if (log === undefined) return undefined;
        log.given = Math.max(log.given, Math.min(op.after, log.count));
        return logs.shownAfter(log, op.after);
      }
      case 'logs':
        return [...(partition.logs?.get(op.row)?.byName.values() ?? [])].map((log) => logs.shown(log));
      case 'trim':
        trim(partition, op.row, op.steps);
        return undefined;
      case 'tokens':
        buckets.take(nameIn(partition.name, op.key), op.costMs, op.fullMs, now);
        return undefined;
      case 'publish':
        subscribers.deliver(op.topic, op.text);
        return undefined;
    }
  }

  return {
    name: 'memory',
    durability: 'memory',
    get epoch() {
      return epoch;
    },
    run(name, ops) {
      if (ops.length > maxOps) throw tooManyOps(ops.length);
      const now = moment();
      const failed = failure(name, ops, now);
      if (failed !== undefined) return failed;
      const partition = rows.use(name);
      const results = ops.map((op) => apply(partition, op, now));
      rows.settle(partition);
      return { now, results };
    },
    take({ partitions, queues, max, holder, leaseMs, log }) {
      const now = moment();
      const names = partitions.flatMap((partition) => queues.map((queue) => [partition, queue] as const));
      const found: Taken[] = [];
      while (found.length < max) {
        const next = rows.take(names, now);
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
      deleteLoose(now);
      return rows.expire(now, max);
    },
    shrinkLogs: (maxChars, { partition, row, log }) => logs.shrink(maxChars, logOf(rows.find(partition), row, log)),
    async close() {},
    clear() {
      rows.clear();
      logs.clear();
      loose.clear();
      buckets.clear();
      epoch = crypto.randomUUID();
    },
  };
}

/** The longest wait of several buckets. */
class Waits {
  longest = 0;
  index = 0;

  add(index: number, wait: number): void {
    if (wait > this.longest + roundingMs) [this.longest, this.index] = [wait, index];
  }
}

function appendRefusal({ entries, at, mark }: AppendOp, log: MemoryLog | undefined): FailedWhy | undefined {
  if (log !== undefined && log.ended > 0) return 'ended';
  if (mark !== undefined && log?.mark !== undefined && mark <= log.mark) return 'mark';
  const count = log?.count ?? 0;
  if (at !== undefined && at > count + 1) return 'gap';
  if (at !== undefined && at <= count) return 'repeated';
  return log === undefined && entries.length === 0 ? 'absent' : undefined;
}

const emptyPartition: Partition = { name: '', rows: new Map() };

const tooManyOps = (count: number): TenonError =>
  new TenonError('invalid-argument', `A run has ${count} ops; ${maxOps} are allowed.`, {
    hint: 'Divide it into several runs.',
  });
