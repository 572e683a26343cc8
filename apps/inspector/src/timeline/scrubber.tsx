/** Moves through the time of a recording, row by row: the state of all connections at that moment is beside the rows. */
import { IconButton } from '../controls/button.tsx';
import { shownTime } from '../controls/format.ts';
import { chosenSeq, isLive } from '../state/chosen.ts';
import { place } from '../state/place.ts';
import { lastUpTo } from '../state/rows.ts';
import { link } from '../state/store.ts';
import { began, chooseRow, goLive, sideView } from '../state/timeline.ts';
import { shownRows } from './rows/shown-rows.ts';

export function Scrubber() {
  const rows = shownRows.value;
  const { recording } = place.value;
  const last = rows.length - 1;
  const at = chosenSeq.value === undefined ? last : lastUpTo(rows, chosenSeq.value);
  const go = (to: number): void => {
    const row = rows.at(Math.max(0, Math.min(to, last)));
    if (row === undefined) return;
    sideView.value = 'state';
    chooseRow(row.seq);
  };
  const shown = rows.at(at);
  const isFollowed = isLive.value && link.value === 'live';
  const time = shown === undefined ? '' : shownTime(began.value + shown.ms);
  return (
    <div class="scrubber">
      <IconButton icon="left" label="One row back" onClick={() => go(at - 1)} isDisabled={at <= 0} />
      <IconButton icon="right" label="One row on" onClick={() => go(at + 1)} isDisabled={at >= last} />
      <input
        type="range"
        aria-label="Moment"
        min={0}
        max={Math.max(last, 0)}
        value={Math.max(at, 0)}
        disabled={rows.length === 0}
        aria-valuetext={shown === undefined ? 'no messages' : `row ${at + 1} of ${rows.length}, at ${time}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <span class="mono faint scrubber-time">{time}</span>
      <button type="button" class="button quiet live" aria-pressed={isLive.value} onClick={goLive}>
        {recording === 'live' && <span class={`dot ${isFollowed ? 'good' : 'off'}`} aria-hidden="true" />}
        {recording === 'live' ? 'Live' : 'End'}
      </button>
    </div>
  );
}
