/** The timeline: every message in both directions, with its pair and latency, at any moment of a recording. */
import { Button } from '../controls/button.tsx';
import { Empty } from '../controls/notice.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { place } from '../state/place.ts';
import { clearedSeq, timelineView, undoClear } from '../state/timeline.ts';
import { Compare } from './compare/compare.tsx';
import { Details } from './details.tsx';
import { Numbers } from './numbers.tsx';
import { Pinned } from './rows/pinned.tsx';
import { RowList } from './rows/row-list.tsx';
import { RowHeads } from './rows/row-view.tsx';
import { SequenceHead } from './rows/sequence.tsx';
import { filter, shownRows } from './rows/shown-rows.ts';
import { Scrubber } from './scrubber.tsx';
import { Toolbar } from './toolbar.tsx';

export function Timeline() {
  const view = timelineView.value;
  return (
    <section class={`timeline view-${view}`} aria-label="Timeline">
      <Toolbar />
      {view === 'numbers' && <Numbers />}
      {view === 'compare' && <Compare />}
      {(view === 'list' || view === 'sequence') && (
        <>
          <Panes />
          <Scrubber />
        </>
      )}
    </section>
  );
}

function Panes() {
  const { recording } = place.value;
  const rows = shownRows.value;
  const seq = chosenSeq.value;
  return (
    <div class={`timeline-panes ${seq === undefined ? '' : 'with-details'}`}>
      <div class="timeline-rows">
        {timelineView.value === 'sequence' ? <SequenceHead /> : <RowHeads />}
        <Pinned />
        {rows.length === 0 ? <NoRows /> : <RowList rows={rows} />}
      </div>
      {seq !== undefined && <Details recording={recording} seq={seq} />}
    </div>
  );
}

function NoRows() {
  if (filter.value.text !== '') return <Empty>No row has “{filter.value.text}”.</Empty>;
  if (clearedSeq.value === 0) return <Empty>Messages appear here as they are sent.</Empty>;
  return (
    <Empty>
      <p>The timeline was cleared. New messages appear here.</p>
      <Button onClick={undoClear}>Show the earlier ones again</Button>
    </Empty>
  );
}
