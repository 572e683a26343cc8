/** The timeline: every message in both directions, with its pair and latency, at any moment of a recording. */
import { Empty } from '../controls/notice.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { place } from '../state/place.ts';
import { Details } from './details.tsx';
import { Numbers } from './numbers.tsx';
import { RowList } from './rows/row-list.tsx';
import { SequenceHead } from './rows/sequence.tsx';
import { filter, shownRows } from './rows/shown-rows.ts';
import { Scrubber } from './scrubber.tsx';
import { Toolbar } from './toolbar.tsx';
import { timelineView } from './view.ts';

export function Timeline() {
  const view = timelineView.value;
  return (
    <section class={`timeline view-${view}`} aria-label="Timeline">
      <Toolbar />
      {view === 'numbers' ? (
        <Numbers />
      ) : (
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
        {timelineView.value === 'sequence' && <SequenceHead />}
        {rows.length === 0 ? (
          <Empty>{filter.value.text === '' ? 'Messages appear here as they are sent.' : 'No row matches.'}</Empty>
        ) : (
          <RowList rows={rows} />
        )}
      </div>
      {seq !== undefined && <Details recording={recording} seq={seq} />}
    </div>
  );
}
