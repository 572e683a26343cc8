/** Captures: opens one from a file, saves the shown recording as one, and chooses which recording is shown. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ApiError } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { IconButton } from '../controls/button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { isLive } from '../state/chosen.ts';
import { isTimelineWhole, showPane } from '../state/panes.ts';
import { choose, place } from '../state/place.ts';
import { forgetRows, loadRows } from '../state/rows.ts';
import { saveFile } from '../state/saved-capture.ts';
import { known } from '../state/store.ts';
import { chooseRow } from '../state/timeline.ts';

const error = signal<ApiError | undefined>(undefined);

export const showRecording = (recording: string): void => attempt(() => show(recording));

/** A capture is what the person has come for: it gets the page. */
async function show(recording: string): Promise<void> {
  chooseRow(undefined);
  isLive.value = recording === 'live';
  isTimelineWhole.value = recording !== 'live';
  showPane('timeline');
  choose({ recording });
  if (recording !== 'live') await loadRows(recording);
}

/** Runs an action, and shows why it failed. */
function attempt(action: () => Promise<unknown>): void {
  error.value = undefined;
  void action().catch((thrown) => (error.value = errorOf(thrown)));
}

export const openCapture = (file: File): void =>
  attempt(async () => {
    const { recording } = await call('openCapture', { name: file.name, text: await file.text() });
    await show(recording.id);
  });

const save = (): void =>
  attempt(async () => {
    const { name, text } = await call('saveCapture', { recording: place.value.recording });
    saveFile(name, text);
  });

const close = (recording: string): void =>
  attempt(async () => {
    await show('live');
    await call('closeCapture', { recording });
    forgetRows(recording);
  });

export function Captures() {
  const picker = useRef<HTMLInputElement>(null);
  const { recording } = place.value;
  const { recordings } = known.value;
  return (
    <div class="captures">
      {recordings.length > 1 && (
        <select
          aria-label="Recording"
          value={recording}
          onChange={(event) => {
            const next = event.currentTarget.value;
            attempt(() => show(next));
          }}
        >
          {recordings.map(({ id, name }) => (
            <option key={id} value={id}>
              {id === 'live' ? 'Live' : name}
            </option>
          ))}
        </select>
      )}
      {recording !== 'live' && <IconButton icon="close" label="Close this capture" onClick={() => close(recording)} />}
      <input
        ref={picker}
        type="file"
        hidden
        accept=".ndjson"
        aria-label="Capture"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) openCapture(file);
          event.currentTarget.value = '';
        }}
      />
      <IconButton icon="file" label="Open a capture" onClick={() => picker.current?.click()} />
      <IconButton icon="save" label="Save as a capture, without secrets" onClick={save} />
      {error.value !== undefined && (
        <div class="captures-error">
          <ErrorNotice error={error.value} />
          <IconButton icon="close" label="Close" onClick={() => (error.value = undefined)} />
        </div>
      )}
    </div>
  );
}
