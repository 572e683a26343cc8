/** One event as a line of the list: when, which client, in which direction, what, how long, how it begins. */
import type { Row } from '../../../../../src/inspector/api.ts';
import { shownMs } from '../../controls/format.ts';

export function RowView({ row }: { readonly row: Row }) {
  const { ms, from, type, kind, method, name, latencyMs, client, connection, summary } = row;
  return (
    <>
      <span class="row-time faint">{(ms / 1000).toFixed(3)}</span>
      <span class="row-client faint">{client ?? `#${connection}`}</span>
      <span class={`row-arrow ${from ?? ''}`}>{from === undefined ? '·' : from === 'client' ? '→' : '←'}</span>
      <span class="row-method">
        {method ?? type ?? kind}
        {name !== undefined && <span class="row-name"> {name}</span>}
      </span>
      <span class="row-type faint">{type ?? kind}</span>
      <span class="row-ms">{latencyMs === undefined ? '' : shownMs(latencyMs)}</span>
      <span class="row-summary faint">{summary}</span>
    </>
  );
}
