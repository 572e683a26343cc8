/** Which rows of the timeline are shown. Pure: the worker runs it, and tests do. */
import type { Row } from '../../../../../src/inspector/api.ts';

export interface RowFilter {
  /** Everything, all messages, only requests and their responses, only notifications, or only what went wrong. */
  readonly kind: 'all' | 'messages' | 'calls' | 'notifications' | 'errors';
  /** Only rows after this one: those before were cleared away. */
  readonly after?: number;
  /** Only rows of this client. */
  readonly client?: string | undefined;
  /** In lower case; empty for all. */
  readonly text: string;
  /** Events whose whole text has it: the backend searches those. */
  readonly found?: readonly number[] | undefined;
}

export const noFilter: RowFilter = { kind: 'messages', text: '' };

const kinds: Readonly<Record<RowFilter['kind'], (row: Row) => boolean>> = {
  all: () => true,
  messages: ({ kind }) => kind === 'message',
  calls: ({ type }) => type === 'request' || type === 'response' || type === 'error' || type === 'batch',
  notifications: ({ type }) => type === 'notification',
  errors: ({ isError }) => isError === true,
};

const textOf = ({ method = '', name = '', id = '', type, kind, summary }: Row): string =>
  `${method} ${name} ${id} ${type ?? ''} ${kind} ${summary}`.toLowerCase();

/** The places of the rows that are shown, from a place on. */
export function filterRows(rows: readonly Row[], filter: RowFilter, from = 0): Uint32Array<ArrayBuffer> {
  const { client, text, found, after = 0 } = filter;
  const isKind = kinds[filter.kind];
  const seqs = found === undefined ? undefined : new Set(found);
  const places = new Uint32Array(rows.length - from);
  let count = 0;
  for (let at = from; at < rows.length; at++) {
    const row = rows[at] as Row;
    if (row.seq <= after || !isKind(row) || (client !== undefined && row.client !== client)) continue;
    if (text !== '' && !textOf(row).includes(text) && seqs?.has(row.seq) !== true) continue;
    places[count++] = at;
  }
  return places.slice(0, count);
}
