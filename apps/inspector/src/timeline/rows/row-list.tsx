/** The rows of the timeline. Only those in view are in the document: each has the same height. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../../../../../src/inspector/api.ts';
import { chosenSeq, isLive } from '../../state/chosen.ts';
import { place } from '../../state/place.ts';
import { lastUpTo } from '../../state/rows.ts';
import { chooseRow, sideView, timelineView, togglePin } from '../../state/timeline.ts';
import { RowView } from './row-view.tsx';
import { SequenceRow } from './sequence.tsx';
import type { ShownRows } from './shown-rows.ts';

const rowHeight = 24;
/** Rows beyond the view, so that scrolling shows no gap. */
const spare = 8;
/** Below a moment of the past are that many of the rows that came later. */
const laterRows = 1;

/** The place of the chosen row. Of a moment whose own row the filter hides, the last row before it. */
function chosenPlace(rows: ShownRows, seq: number | undefined): number {
  if (seq === undefined) return -1;
  const at = lastUpTo(rows, seq);
  return sideView.value === 'state' || rows.at(at)?.seq === seq ? at : -1;
}

export function RowList({ rows }: { readonly rows: ShownRows }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 400 });
  const latest = useRef(rows);
  latest.current = rows;
  const at = chosenPlace(rows, chosenSeq.value);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = new ResizeObserver(() => {
      // A narrow screen hides the rows at first, and makes room for the chosen one: neither was scrolled to then.
      if (isLive.peek()) element.scrollTo({ top: element.scrollHeight });
      else reveal(element, chosenPlace(latest.current, chosenSeq.peek()));
      follow(element);
      view.value = { top: element.scrollTop, height: element.clientHeight };
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (isLive.value) box.current?.scrollTo({ top: rows.length * rowHeight });
  }, [rows.length, isLive.value]);
  useEffect(() => reveal(box.current, at), [chosenSeq.value, sideView.value]);
  const { recording } = place.value;
  // A capture is read from its beginning.
  useEffect(() => void (recording !== 'live' && box.current?.scrollTo({ top: 0 })), [recording]);

  const count = Math.min(rows.length, Math.ceil(view.value.height / rowHeight) + 2 * spare);
  // A filter may leave fewer rows than the view was scrolled to.
  const first = Math.max(0, Math.min(Math.floor(view.value.top / rowHeight) - spare, rows.length - count));
  const chosen = at === -1 ? undefined : rows.at(at);
  return (
    <div
      ref={box}
      class="rows mono"
      role="listbox"
      aria-label="Messages"
      tabIndex={0}
      aria-activedescendant={chosen === undefined ? undefined : `row-${chosen.seq}`}
      onScroll={({ currentTarget }) => {
        view.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight };
        follow(currentTarget);
      }}
      onKeyDown={(event) => onRowsKey(event, rows, at)}
    >
      <div class="rows-all" style={{ height: `${rows.length * rowHeight}px` }}>
        {Array.from({ length: count }, (_, index) => rows.at(first + index)).map(
          (row, index) =>
            row && <PlacedRow key={row.seq} row={row} top={(first + index) * rowHeight} chosen={chosen} />,
        )}
      </div>
    </div>
  );
}

/** A list that follows the newest row is always at its end: the person has scrolled away from it, or back to it. */
function follow({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void {
  const isAtEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
  const isFree = chosenSeq.peek() === undefined && place.peek().recording === 'live';
  isLive.value = isAtEnd && (isLive.peek() || isFree);
}

interface PlacedRowProps {
  readonly row: Row;
  readonly top: number;
  readonly chosen: Row | undefined;
}

function PlacedRow({ row, top, chosen }: PlacedRowProps) {
  const { seq, type, kind, isError } = row;
  const isChosen = seq === chosen?.seq;
  const isLater = sideView.value === 'state' && seq > (chosenSeq.value ?? Number.POSITIVE_INFINITY);
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
      onClick={() => chooseRow(isChosen ? undefined : seq)}
    >
      {timelineView.value === 'sequence' ? <SequenceRow row={row} /> : <RowView row={row} />}
    </div>
  );
}

const isPair = (row: Row, chosen: Row | undefined): boolean =>
  chosen !== undefined &&
  (row.pair === chosen.seq || chosen.pair === row.seq || (row.pair !== undefined && row.pair === chosen.pair));

function onRowsKey(event: KeyboardEvent, rows: ShownRows, at: number): void {
  const last = rows.length - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(at + 1, last),
    ArrowUp: at === -1 ? last : Math.max(at - 1, 0),
    Home: 0,
    End: last,
  };
  if (event.key === 'Escape') chooseRow(undefined);
  const chosen = rows.at(at)?.seq;
  if (event.key === 'p' && at !== -1 && chosen !== undefined) togglePin(place.peek().recording, chosen);
  const to = moves[event.key];
  if (to === undefined) return;
  event.preventDefault();
  chooseRow(rows.at(to)?.seq);
}

/** Brings the chosen row into view. A moment is the last of what has happened: what led to it is above. */
function reveal(box: HTMLElement | null, at: number): void {
  if (box === null || at === -1) return;
  const top = at * rowHeight;
  const bottom = top + rowHeight;
  if (sideView.peek() === 'state') box.scrollTo({ top: bottom + laterRows * rowHeight - box.clientHeight });
  else if (top < box.scrollTop) box.scrollTo({ top });
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTo({ top: bottom - box.clientHeight });
}
