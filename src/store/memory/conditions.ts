/** Why a run on the engine in memory cannot be done. */
import { type AppendOp, type FailedRun, type FailedWhy, type Op, roundingMs } from '../driver.ts';
import type { MemoryLog } from './logs.ts';
import { holds, nameIn, type Partition, shownRow } from './rows.ts';
import { logOf, type MemoryState } from './state.ts';

/** Why a run cannot be done, on the state before it. */
export function failureOf(state: MemoryState, name: string, ops: readonly Op[], now: number): FailedRun | undefined {
  const { rows, buckets } = state;
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
    const refused = refusal(state, partition, op);
    if (refused !== undefined) return { now, failed, ...refused };
  }
  if (waits === undefined || waits.longest <= 0) return undefined;
  return { now, failed: waits.index, why: 'tokens', waitMs: Math.ceil(waits.longest) };
}

function refusal(
  { rows, logs }: MemoryState,
  partition: Partition | undefined,
  op: Op,
): Omit<FailedRun, 'now' | 'failed'> | undefined {
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
  const joined = op.groups && rows.refusing(partition ?? emptyPartition, op)?.name;
  const group = joined ?? rows.exceeding(partition ?? emptyPartition, op);
  return group === undefined ? undefined : { why: 'full', group };
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
