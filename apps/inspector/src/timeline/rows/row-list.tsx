/** The rows of the timeline. Only those in view are in the document: each has the same height. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../../../../../src/inspector/api.ts';
import { shownMs } from '../../controls/format.ts';
import { chosenSeq } from '../../state/chosen.ts';
import { indexOfSeq } from '../../state/rows.ts';
import { sideView, timelineView } from '../view.ts';
import { SequenceRow } from './sequence.tsx';
import type { ShownRows } from './shown-rows.ts';

const rowHeight = 24;
/** Rows beyond the view, so that scrolling shows no gap. */
const spare = 8;

export function RowList({ rows }: { readonly rows: ShownRows }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 400 });
  const isAtEnd = useRef(true);
  const latest = useRef(rows);
  latest.current = rows;

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = new ResizeObserver(() => {
      // A narrow screen hides the rows at first, and makes room for the chosen one: neither was scrolled to then.
      if (chosenSeq.peek() !== undefined) reveal(element, latest.current, chosenSeq.peek());
      else if (isAtEnd.current) element.scrollTo({ top: element.scrollHeight });
      view.value = { top: element.scrollTop, height: element.clientHeight };
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  // Follows the newest row as long as the user has not scrolled away from it.
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: rows.length * rowHeight });
  }, [rows.length]);
  useEffect(() => reveal(box.current, rows, chosenSeq.value), [chosenSeq.value]);

  const count = Math.min(rows.length, Math.ceil(view.value.height / rowHeight) + 2 * spare);
  // A filter may leave fewer rows than the view was scrolled to.
  const first = Math.max(0, Math.min(Math.floor(view.value.top / rowHeight) - spare, rows.length - count));
  const chosen = rows.at(indexOfSeq(rows, chosenSeq.value ?? -1));
  return (
    <div
      ref={box}
      class="rows mono"
      role="listbox"
      aria-label="Messages"
      tabIndex={0}
      aria-activedescendant={chosen === undefined ? undefined : `row-${chosen.seq}`}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight;
        view.value = { top: scrollTop, height: clientHeight };
      }}
      onKeyDown={(event) => onRowsKey(event, rows)}
    >
      <div class="rows-all" style={{ height: `${rows.length * rowHeight}px` }}>
        {Array.from({ length: count }, (_, at) => rows.at(first + at)).map(
          (row, at) => row && <PlacedRow key={row.seq} row={row} top={(first + at) * rowHeight} chosen={chosen} />,
        )}
      </div>
    </div>
  );
}

interface PlacedRowProps {
  readonly row: Row;
  readonly top: number;
  readonly chosen: Row | undefined;
}

function PlacedRow({ row, top, chosen }: PlacedRowProps) {
  const { seq, type, kind, isError } = row;
  const isChosen = seq === chosen?.seq;
  const isLater = sideView.value === 'state' && chosen !== undefined && seq > chosen.seq;
  const classes = [
    'row',
    type ?? kind,
    isChosen ? 'chosen' : isPair(row, chosen) ? 'pair' : '',
    isError ? 'is-error' : '',
    isLater ? 'later' : '',
  ];
  return (
    <div
      id={`row-${seq}`}
      class={classes.join(' ')}
      role="option"
      aria-selected={isChosen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => (chosenSeq.value = isChosen ? undefined : seq)}
    >
      {timelineView.value === 'sequence' ? <SequenceRow row={row} /> : <RowView row={row} />}
    </div>
  );
}

const isPair = (row: Row, chosen: Row | undefined): boolean =>
  chosen !== undefined &&
  (row.pair === chosen.seq || chosen.pair === row.seq || (row.pair !== undefined && row.pair === chosen.pair));

function onRowsKey(event: KeyboardEvent, rows: ShownRows): void {
  const at = indexOfSeq(rows, chosenSeq.value ?? -1);
  const last = rows.length - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(at + 1, last),
    ArrowUp: at === -1 ? last : Math.max(at - 1, 0),
    Home: 0,
    End: last,
  };
  if (event.key === 'Escape') chosenSeq.value = undefined;
  const to = moves[event.key];
  if (to === undefined) return;
  event.preventDefault();
  chosenSeq.value = rows.at(to)?.seq;
}

function reveal(box: HTMLElement | null, rows: ShownRows, seq: number | undefined): void {
  const at = seq === undefined ? -1 : indexOfSeq(rows, seq);
  if (box === null || at === -1) return;
  const top = at * rowHeight;
  if (top < box.scrollTop) box.scrollTo({ top });
  else if (top + rowHeight > box.scrollTop + box.clientHeight)
    box.scrollTo({ top: top + rowHeight - box.clientHeight });
}

/** One event as a line: when, which client, in which direction, what, how long, how it begins. */
function RowView({ row }: { readonly row: Row }) {
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
