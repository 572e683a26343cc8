/** What the timeline shows: rows by kind, by client, with a text; as a list or as a sequence; and what is done with all of it. */
import { IconButton, Segments } from '../controls/button.tsx';
import { isNarrow, isTimelineWhole, toggleTimeline } from '../state/panes.ts';
import { place } from '../state/place.ts';
import { rowsOf } from '../state/rows.ts';
import { clients } from '../state/store.ts';
import { clearRows, timelineView } from '../state/timeline.ts';
import { Captures } from './captures.tsx';
import { shownSeconds } from './numbers.tsx';
import type { RowFilter } from './rows/filter.ts';
import { filter, hasClients, searchText, shownPlaces } from './rows/shown-rows.ts';

const kinds: readonly (readonly [RowFilter['kind'], string])[] = [
  ['messages', 'Messages'],
  ['calls', 'Requests'],
  ['notifications', 'Notifications'],
  ['errors', 'Errors'],
  ['all', 'Everything'],
];

export function Toolbar() {
  const isWhole = isTimelineWhole.value;
  const hasFilters = timelineView.value !== 'compare';
  return (
    <div class="timeline-bar">
      <h2>Timeline</h2>
      <Segments
        label="Timeline as"
        value={timelineView.value}
        options={[
          ['list', 'List'],
          ['sequence', 'Sequence'],
          ['numbers', 'Numbers'],
          ['compare', 'Compare'],
        ]}
        onChange={(next) => (timelineView.value = next)}
      />
      {hasFilters && <Filters />}
      <div class="timeline-actions">
        <Captures />
        <IconButton icon="trash" label="Clear the timeline" onClick={clearRows} />
        {!isNarrow.value && (
          <IconButton
            icon={isWhole ? 'half' : 'whole'}
            label={isWhole ? 'Make the timeline small again' : 'Maximise the timeline'}
            onClick={toggleTimeline}
          />
        )}
      </div>
    </div>
  );
}

function Filters() {
  const { kind, client } = filter.value;
  const all = rowsOf(place.value.recording).length;
  // Numbers are of all messages of a client.
  const hasRows = timelineView.value !== 'numbers';
  return (
    <div class="timeline-filters">
      {hasRows && (
        <select
          aria-label="Which rows"
          value={kind}
          onChange={(event) =>
            (filter.value = { ...filter.value, kind: event.currentTarget.value as RowFilter['kind'] })
          }
        >
          {kinds.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
      {hasClients.value && clients.value.length > 1 && (
        <select
          aria-label="Client"
          value={client ?? ''}
          onChange={(event) => (filter.value = { ...filter.value, client: event.currentTarget.value || undefined })}
        >
          <option value="">All clients</option>
          {clients.value.map(({ id, label, protocolVersion = '' }) => (
            <option key={id} value={id}>
              {id} {label} {protocolVersion}
            </option>
          ))}
        </select>
      )}
      {hasRows && (
        <input
          type="search"
          placeholder="Search all texts"
          aria-label="Search the timeline"
          value={filter.value.text}
          onInput={(event) => searchText(event.currentTarget.value)}
        />
      )}
      <span class="faint mono rows-count" role="status">
        {hasRows
          ? `${shownPlaces.value.length === all ? '' : `${shownPlaces.value.length} of `}${all} rows`
          : `the last ${shownSeconds / 60} minutes`}
      </span>
    </div>
  );
}
