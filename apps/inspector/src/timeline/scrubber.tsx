/** Moves through the time of a recording: the state of all connections at that moment is shown beside the rows. */
import { IconButton } from '../controls/button.tsx';
import { shownTime } from '../controls/format.ts';
import { chosenSeq } from '../state/chosen.ts';
import { place } from '../state/place.ts';
import { indexOfSeq, rowChanges, rowsOf } from '../state/rows.ts';
import { known } from '../state/store.ts';
import { sideView } from './view.ts';

export function Scrubber() {
  void rowChanges.value;
  const { recording } = place.value;
  const rows = rowsOf(recording);
  const last = rows.length - 1;
  const found = chosenSeq.value === undefined ? last : indexOfSeq(rows, chosenSeq.value);
  const at = found === -1 ? last : found;
  const began = known.value.recordings.find(({ id }) => id === recording)?.began ?? 0;
  const go = (to: number): void => {
    const row = rows[Math.max(0, Math.min(to, last))];
    if (row === undefined) return;
    sideView.value = 'state';
    chosenSeq.value = row.seq;
  };
  const live = (): void => {
    sideView.value = 'message';
    chosenSeq.value = undefined;
  };
  const shown = rows[at];
  return (
    <div class="scrubber">
      <IconButton icon="left" label="One event back" onClick={() => go(at - 1)} isDisabled={at <= 0} />
      <IconButton icon="right" label="One event on" onClick={() => go(at + 1)} isDisabled={at >= last} />
      <input
        type="range"
        aria-label="Moment"
        min={0}
        max={Math.max(last, 0)}
        value={Math.max(at, 0)}
        aria-valuetext={shown === undefined ? 'no events' : `event ${shown.seq} at ${shownTime(began + shown.ms)}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <span class="mono faint scrubber-time">{shown === undefined ? '' : shownTime(began + shown.ms)}</span>
      <button type="button" class="button quiet" onClick={live} disabled={chosenSeq.value === undefined}>
        {recording === 'live' ? 'Live' : 'End'}
      </button>
    </div>
  );
}
