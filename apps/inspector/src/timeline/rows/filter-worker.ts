/** Filters the rows of one recording beside the page, so that 100,000 of them never stop it. */
import type { Row } from '../../../../../src/inspector/api.ts';
import { filterRows, type RowFilter } from './filter.ts';

/** `rows` are added after the others; `isNew` begins a recording. Then the rows from a place on are filtered. */
export interface FilterOrder {
  readonly number: number;
  readonly isNew: boolean;
  readonly rows: readonly Row[];
  readonly filter: RowFilter;
  readonly from: number;
}

export interface FilterAnswer {
  readonly number: number;
  readonly from: number;
  readonly places: Uint32Array<ArrayBuffer>;
}

let rows: Row[] = [];

const worker = globalThis as unknown as {
  onmessage: (event: MessageEvent<FilterOrder>) => void;
  postMessage: (answer: FilterAnswer, transfer: Transferable[]) => void;
};

worker.onmessage = ({ data: { number, isNew, rows: added, filter, from } }) => {
  if (isNew) rows = [];
  for (const row of added) rows.push(row);
  const places = filterRows(rows, filter, from);
  worker.postMessage({ number, from, places }, [places.buffer]);
};
