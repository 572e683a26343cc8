/** The sequence view: a lane for each connection, with the client at its left and the server at its right. */
import { computed } from '@preact/signals';
import type { Row } from '../../../../../src/inspector/api.ts';
import { shownMs } from '../../controls/format.ts';
import { isNarrow } from '../../state/place.ts';
import { clients } from '../../state/store.ts';
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

interface Lane {
  readonly connection: number;
  readonly client: string | undefined;
}

const lanes = computed((): readonly Lane[] => {
  const rows = shownRows.value;
  const most = isNarrow.value ? maxNarrowLanes : maxLanes;
  const found = new Map<number, Lane>();
  for (let at = rows.length - 1; at >= 0 && at > rows.length - rowsLookedAt && found.size < most; at--) {
    // The rows of another recording are there before the filter has found its places among them.
    const row = rows.at(at);
    if (row === undefined || found.has(row.connection)) continue;
    found.set(row.connection, { connection: row.connection, client: row.client });
  }
  return [...found.values()].sort((one, other) => one.connection - other.connection);
});

/** The template of the columns is a class: there are only a few numbers of lanes. */
const laneClass = (): string => `lanes lanes-${lanes.value.length}`;

export const SequenceHead = () => (
  <div class={`sequence-head ${laneClass()}`}>
    <span />
    {lanes.value.map(({ connection, client: id }) => {
      const client = clients.value.find((each) => each.id === id);
      return (
        <span key={connection} class="lane-head">
          <span>client</span>
          <strong>
            {client === undefined ? `connection ${connection}` : `${client.id} ${client.protocolVersion ?? ''}`}
          </strong>
          <span>server</span>
        </span>
      );
    })}
  </div>
);

export function SequenceRow({ row }: { readonly row: Row }) {
  const { ms, connection, client } = row;
  const hasLane = lanes.value.some((lane) => lane.connection === connection);
  return (
    <div class={laneClass()}>
      <span class="row-time faint">{(ms / 1000).toFixed(3)}</span>
      {!hasLane && <span class="lane-other faint">{`${client ?? `#${connection}`} ${textOf(row)}`}</span>}
      {hasLane &&
        lanes.value.map((lane) => (
          <span key={lane.connection} class="lane">
            {lane.connection === connection && <Arrow row={row} />}
          </span>
        ))}
    </div>
  );
}

const textOf = ({ method, type, kind, name }: Row): string => [method ?? type ?? kind, name].filter(Boolean).join(' ');

function Arrow({ row }: { readonly row: Row }) {
  const { from, type, kind, latencyMs, summary } = row;
  if (from === undefined) return <span class="lane-note faint">{`${kind} ${summary}`}</span>;
  return (
    <span class={`lane-arrow from-${from} ${type ?? ''}`}>
      <span class="lane-text">
        {textOf(row)}
        {latencyMs !== undefined && <span class="faint"> {shownMs(latencyMs)}</span>}
      </span>
    </span>
  );
}
