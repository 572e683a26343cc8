/** Rules on the row of a task: each write replaces the version it has read, only the holder writes the journal, fences rise, an end is final. */
import { isClaim, ofType, type Placed, type TaskEvent } from './events.ts';
import { type Violation, violation } from './violations.ts';

type Written = Placed<'written'>;

/** What only the worker that holds a task may write. */
const workersEntries: ReadonlySet<string> = new Set(['begun', 'step', 'asked', 'result', 'error']);

export const isEnd = (state: string): boolean => ['completed', 'failed', 'cancelled'].includes(state);

export function checkRows(history: readonly TaskEvent[]): Violation[] {
  const written = ofType(history, 'written').filter(({ isDone }) => isDone);
  // Two processes may report in another order than they wrote: versions have the true one.
  const rows = written.sort((one, other) => one.from - other.from || one.place - other.place);
  const found: Violation[] = [];
  let holder: Written | undefined;
  let end: Written | undefined;
  let last: Written | undefined;
  for (const row of rows) {
    if (last !== undefined && row.from === last.from) found.push(violation('stale-write', row.task, last, row));
    if (last !== undefined && isFenceWrong(row, last)) found.push(violation('fence-not-raised', row.task, last, row));
    if (end !== undefined) found.push(violation('write-after-end', row.task, end, row));
    if (isClaim(row)) holder = row;
    else if (row.entries.some(({ is }) => workersEntries.has(is)) && holder?.process !== row.process)
      found.push(violation('write-without-lease', row.task, ...(holder === undefined ? [] : [holder]), row));
    if (isEnd(row.state)) end ??= row;
    last = row;
  }
  return found;
}

const isFenceWrong = (row: Written, last: Written): boolean =>
  isClaim(row) ? row.fence <= last.fence : row.fence < last.fence;
