/** Rules on the row of a task: each write replaces the version it has read, only the holder writes the journal, fences rise, an end is final. */
import { isClaim, ofType, type Placed, type TaskEvent } from './events.ts';
import { type Violation, violation } from './violations.ts';

type Written = Placed<'written'>;

/** What only the worker that holds a task may write. */
const workersEntries: ReadonlySet<string> = new Set(['begun', 'step', 'asked', 'result', 'error']);

export const isEnd = (state: string): boolean => ['completed', 'failed', 'cancelled'].includes(state);

export function checkRows(history: readonly TaskEvent[]): Violation[] {
  const written = ofType(history, 'written').filter(({ isDone }) => isDone);
  const found: Violation[] = [];
  const replaced = new Map<number, Written>();
  let holder: Written | undefined;
  let end: Written | undefined;
  let last: Written | undefined;
  for (const row of inOrder(written)) {
    const other = replaced.get(row.from);
    if (other !== undefined) found.push(violation('stale-write', row.task, other, row));
    replaced.set(row.from, row);
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

/** Two processes may report in another order than they wrote: each write follows the one whose version it replaces. */
function inOrder(written: readonly Written[]): Written[] {
  const left = [...written];
  const ordered: Written[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ from }) => left.every(({ to }) => to !== from));
    ordered.push(...left.splice(Math.max(next, 0), 1));
  }
  return ordered;
}

const isFenceWrong = (row: Written, last: Written): boolean =>
  isClaim(row) ? row.fence <= last.fence : row.fence < last.fence;
