/** The rows that were pinned: they stay above the others, whatever the filter shows. */
import { IconButton } from '../../controls/button.tsx';
import { chosenSeq } from '../../state/chosen.ts';
import { place } from '../../state/place.ts';
import { indexOfSeq, rowChanges, rowsOf } from '../../state/rows.ts';
import { chooseRow, pinsOf, sideView, togglePin } from '../../state/timeline.ts';
import { RowView } from './row-view.tsx';

export function Pinned() {
  void rowChanges.value;
  const { recording } = place.value;
  const all = rowsOf(recording);
  const rows = pinsOf(recording).flatMap((seq) => all[indexOfSeq(all, seq)] ?? []);
  if (rows.length === 0) return null;
  return (
    <ul class="pinned mono" aria-label="Pinned messages">
      {rows.map((row) => (
        <li key={row.seq}>
          <button
            type="button"
            class={`pinned-row ${row.type ?? row.kind} ${row.isError ? 'is-error' : ''}`}
            aria-pressed={chosenSeq.value === row.seq}
            onClick={() => {
              sideView.value = 'message';
              chooseRow(row.seq);
            }}
          >
            <RowView row={row} />
          </button>
          <IconButton icon="close" label="Unpin" onClick={() => togglePin(recording, row.seq)} />
        </li>
      ))}
    </ul>
  );
}
