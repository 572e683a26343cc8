/** What the ops of a run change in the engine in memory. */
import { type AppendOp, type Log, looseLogMs, type Op, type OpResult, type TrimOp } from '../driver.ts';
import { nameIn, type Partition, shownRow, shownTimes } from './rows.ts';
import { logOf, type MemoryState } from './state.ts';

function append({ logs, loose }: MemoryState, partition: Partition, op: AppendOp, now: number): Log {
  partition.logs ??= new Map();
  const of = partition.logs.get(op.row) ?? { byName: new Map(), ended: new Set(), chars: 0 };
  partition.logs.set(op.row, of);
  loose.delete(of);
  if (!partition.rows.has(op.row)) loose.set(of, { partition, row: op.row, until: now + looseLogMs });
  const log = of.byName.get(op.log) ?? logs.begin(of, op);
  if (op.mark !== undefined) log.mark = op.mark;
  if (op.isFollowed !== undefined) log.isFollowed = op.isFollowed;
  logs.append(log, op.entries);
  if (op.end) logs.end(log);
  if (op.room !== undefined) logs.makeRoom(log, op.room.maxLogs, op.room.maxChars);
  return logs.shown(log);
}

function trim({ logs }: MemoryState, partition: Partition, row: string, steps: TrimOp['steps']): void {
  const of = partition.logs?.get(row);
  if (of === undefined) return;
  if (steps === 'all') logs.deleteAll(of);
  else logs.trim(of, steps);
  if (of.byName.size === 0) partition.logs?.delete(row);
}

export function applyOp(state: MemoryState, partition: Partition, op: Op, now: number): OpResult {
  const { rows, logs, buckets, subscribers } = state;
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
      return append(state, partition, op, now);
    case 'entries': {
      const log = logOf(partition, op.row, op.log);
      if (log === undefined) return undefined;
      log.given = Math.max(log.given, Math.min(op.after, log.count));
      return logs.shownAfter(log, op.after);
    }
    case 'logs':
      return [...(partition.logs?.get(op.row)?.byName.values() ?? [])].map((log) => logs.shown(log));
    case 'trim':
      trim(state, partition, op.row, op.steps);
      return undefined;
    case 'tokens':
      buckets.take(nameIn(partition.name, op.key), op.costMs, op.fullMs, now);
      return undefined;
    case 'publish':
      subscribers.deliver(op.topic, op.text);
      return undefined;
  }
}

/** Deletes logs whose row has not existed for long. */
export function deleteLoose(state: MemoryState, now: number): void {
  const { rows, loose } = state;
  for (const [of, { partition, row, until }] of loose) {
    if (until > now) return;
    loose.delete(of);
    if (partition.logs?.get(row) !== of || partition.rows.has(row)) continue;
    trim(state, partition, row, 'all');
    rows.settle(partition);
  }
}
