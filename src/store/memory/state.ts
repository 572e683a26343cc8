/** What the engine in memory holds. */
import { Subscribers } from '../subscribers.ts';
import { Buckets } from './buckets.ts';
import { type MemoryLog, MemoryLogs, type RowLogs } from './logs.ts';
import { MemoryRows, type Partition } from './rows.ts';

export interface MemoryState {
  readonly rows: MemoryRows;
  readonly logs: MemoryLogs;
  readonly buckets: Buckets;
  readonly subscribers: Subscribers;
  /** Logs that were written to while they had no row, the one that goes first is first. */
  readonly loose: Map<RowLogs, { readonly partition: Partition; readonly row: string; readonly until: number }>;
}

export function memoryState(maxBuckets: number, maxBucketChars: number): MemoryState {
  const logs = new MemoryLogs();
  return {
    rows: new MemoryRows((of) => logs.deleteAll(of)),
    logs,
    buckets: new Buckets(maxBuckets, maxBucketChars),
    subscribers: new Subscribers(),
    loose: new Map(),
  };
}

export const logOf = (partition: Partition | undefined, row: string, log: string): MemoryLog | undefined =>
  partition?.logs?.get(row)?.byName.get(log);
