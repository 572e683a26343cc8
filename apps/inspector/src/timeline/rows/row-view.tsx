/** One event as a line: when, which client, in which direction, what, how long, and what it is about. */
import type { Row } from '../../../../../src/inspector/api.ts';
import { Cut } from '../../controls/cut.tsx';
import { clockOf, shownMs } from '../../controls/format.ts';
import { Icon } from '../../controls/icon.tsx';
import { place } from '../../state/place.ts';
import { began, pinsOf } from '../../state/timeline.ts';

/** The names of the columns, in the order of the fields of a row. */
export const RowHeads = () => (
  <div class="row-heads" aria-hidden="true">
    <span class="row-time">Time</span>
    <span class="row-client">Client</span>
    <span class="row-arrow" />
    <span class="row-method">Method</span>
    <span class="row-type">Kind</span>
    <span class="row-ms">Took</span>
    <span class="row-summary">Content</span>
  </div>
);

export function RowView({ row }: { readonly row: Row }) {
  const { seq, from, type, kind, method, name, latencyMs, client, connection, summary } = row;
  return (
    <>
      <RowTime row={row} />
      <span class="row-client faint">{client ?? `#${connection}`}</span>
      <span class={`row-arrow ${from ?? ''}`}>{from === undefined ? '·' : from === 'client' ? '→' : '←'}</span>
      <span class="row-method">
        {pinsOf(place.value.recording).includes(seq) && <Icon name="pin" />}
        {method ?? type ?? kind}
        {name !== undefined && (
          <span class="row-name">
            {' '}
            <Cut text={name} before={(method?.length ?? 0) + 1} />
          </span>
        )}
      </span>
      <span class="row-type faint">{type ?? kind}</span>
      <span class="row-ms">{latencyMs === undefined ? '' : shownMs(latencyMs)}</span>
      <span class="row-summary faint">{summary}</span>
    </>
  );
}

/** The time of day; a small timeline leaves the fraction out. */
export function RowTime({ row: { ms } }: { readonly row: Row }) {
  const [clock, fraction] = clockOf(began.value + ms);
  return (
    <span class="row-time faint" title={`${(ms / 1000).toFixed(3)} s after the recording began`}>
      {clock}
      <span class="row-fraction">{fraction}</span>
    </span>
  );
}
