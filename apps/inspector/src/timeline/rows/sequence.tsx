/** The sequence view: a lane for each client, or for each connection of a capture, with the client at its left and the server at its right. */
import { computed } from '@preact/signals';
import type { Row } from '../../../../../src/inspector/api.ts';
import { shownMs } from '../../controls/format.ts';
import { isNarrow } from '../../state/panes.ts';
import { clients } from '../../state/store.ts';
import { RowTime } from './row-view.tsx';
import { shownRows } from './shown-rows.ts';

/**
 * On the page: lanes of the sequence. More would be too narrow to read.
 * @limit inspector
 * @default 4, on a narrow page 2
 * @beyond the newest are shown, and rows of others are only named
 */
const maxLanes = 4;

const maxNarrowLanes = 2;
/** How many of the newest rows are looked at for lanes. */
const rowsLookedAt = 20_000;

/** A client that connects again stays in its lane. */
const laneOf = ({ client, connection }: Row): string => client ?? `#${connection}`;

const lanes = computed((): readonly string[] => {
  const rows = shownRows.value;
  const most = isNarrow.value ? maxNarrowLanes : maxLanes;
  const found = new Set<string>();
  for (let at = rows.length - 1; at >= 0 && at > rows.length - rowsLookedAt && found.size < most; at--) {
    // The rows of another recording are there before the filter has found its places among them.
    const row = rows.at(at);
    if (row !== undefined) found.add(laneOf(row));
  }
  return [...found].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
});

/** The template of the columns is a class: there are only a few numbers of lanes. */
const laneClass = (): string => `lanes lanes-${lanes.value.length}`;

export const SequenceHead = () => (
  <div class={`row-heads sequence-head ${laneClass()}`}>
    <span class="row-time">Time</span>
    {lanes.value.map((lane) => {
      const client = clients.value.find(({ id }) => id === lane);
      // A client that was removed still has its name.
      const name = lane.startsWith('#') ? `connection ${lane}` : lane;
      return (
        <span key={lane} class="lane-head">
          <span>client</span>
          <strong>{`${name} ${client?.protocolVersion ?? ''}`}</strong>
          <span>server</span>
        </span>
      );
    })}
  </div>
);

export function SequenceRow({ row }: { readonly row: Row }) {
  const own = laneOf(row);
  return (
    <div class={laneClass()}>
      <RowTime row={row} />
      {lanes.value.includes(own) ? (
        lanes.value.map((lane) => (
          <span key={lane} class="lane">
            {lane === own && <Arrow row={row} />}
          </span>
        ))
      ) : (
        <span class="lane-other faint">{`${own} ${textOf(row)}`}</span>
      )}
    </div>
  );
}

const textOf = ({ method, type, kind, name }: Row): string => [method ?? type ?? kind, name].filter(Boolean).join(' ');

function Arrow({ row }: { readonly row: Row }) {
  const { from, type, kind, latencyMs, summary } = row;
  const to = from === 'client' ? 'to' : 'from';
  if (from === undefined) return <span class="lane-note faint">{`${kind} ${summary}`}</span>;
  return (
    <span class={`lane-arrow from-${from} ${type ?? ''}`}>
      <span class="lane-text">
        {textOf(row)}
        {/* What the arrow and its lane show. */}
        <span class="unseen">{` ${type} ${to} the server of ${laneOf(row)}`}</span>
        {latencyMs !== undefined && <span class="faint"> {shownMs(latencyMs)}</span>}
      </span>
    </span>
  );
}
