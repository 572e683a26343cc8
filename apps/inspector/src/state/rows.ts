/** The rows of each recording, in order. A signal counts their changes; the rows themselves are appended in place. */
import { signal } from '@preact/signals';
import type { Row } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';

/** Counts the changes of all recordings. */
export const rowChanges = signal(0);

/**
 * On the page: rows of a recording. The backend drops them too.
 * @limit inspector
 * @beyond the oldest are dropped
 */
const maxRows = 200_000;

/** Several at once, since it costs time. */
const droppedAtOnce = 20_000;

const recordings = new Map<string, Row[]>();
/** Counts how often the oldest rows of a recording were dropped: then the places of the others have changed. */
const generations = new Map<string, number>();

/** The rows of a recording, oldest first. Read `rowChanges` to be called again. */
export const rowsOf = (recording: string): readonly Row[] => recordings.get(recording) ?? [];

export const generationOf = (recording: string): number => generations.get(recording) ?? 0;

/** The place of the last row that is no later than an event, or -1. */
export function lastUpTo(rows: { readonly length: number; at(index: number): Row | undefined }, seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows.at(middle)?.seq ?? Number.POSITIVE_INFINITY) <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The place of an event among rows in order, or -1. */
export function indexOfSeq(rows: { readonly length: number; at(index: number): Row | undefined }, seq: number): number {
  const at = lastUpTo(rows, seq);
  return rows.at(at)?.seq === seq ? at : -1;
}

/** Appends rows; those that are there already are left out. */
export function addRows(recording: string, added: readonly Row[]): void {
  if (added.length === 0) return;
  const rows = recordings.get(recording) ?? [];
  const last = rows.at(-1)?.seq ?? 0;
  for (const row of added) if (row.seq > last) rows.push(row);
  if (rows.length > maxRows + droppedAtOnce) drop(recording, rows, rows.length - maxRows);
  recordings.set(recording, rows);
  rowChanges.value += 1;
}

function drop(recording: string, rows: Row[], count: number): void {
  rows.splice(0, count);
  generations.set(recording, generationOf(recording) + 1);
}

/** Fetches the rows of a recording that are missing. */
export async function loadRows(recording: string): Promise<void> {
  for (;;) {
    const after = rowsOf(recording).at(-1)?.seq ?? 0;
    const { rows } = await call('rows', { recording, after });
    addRows(recording, rows);
    if (rows.length === 0) return;
  }
}

export const forgetRows = (recording: string): void => {
  recordings.delete(recording);
  generations.set(recording, generationOf(recording) + 1);
  rowChanges.value += 1;
};
