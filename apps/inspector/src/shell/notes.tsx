/** Notes below the bar at the top: the program does not answer, it needs its new link, or it was started again. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { shownTime } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { openError, restarted, savedRows } from '../state/opening.ts';
import { saveFile } from '../state/saved-capture.ts';
import { link } from '../state/store.ts';
import { showRecording } from '../timeline/captures.tsx';
import { LinkForm } from './locked.tsx';

export function Notes() {
  if (link.value === 'locked') return <Locked />;
  if (link.value === 'lost') return <Lost />;
  return restarted.value === undefined ? null : <Restarted {...restarted.value} />;
}

const saveShown = (): void => {
  const text = savedRows();
  if (text !== undefined)
    saveFile(`inspector-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.mcp.ndjson`, text);
};

const SaveShown = () => (
  <Button icon="save" onClick={saveShown}>
    Save the messages
  </Button>
);

/** A connection that is back at once is not worth a word. */
const pauseMs = 800;

/** The page tries again by itself. */
function Lost() {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isShown.value = true), pauseMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown.value) return null;
  return (
    <div class="note warn" role="status">
      <Icon name="warning" />
      <p>
        <strong>The program that serves this page does not answer.</strong> If it has ended, start it again. Nothing
        that is shown here is lost.
      </p>
      <SaveShown />
    </div>
  );
}

function Locked() {
  return (
    <div class="note warn" role="status">
      <Icon name="lock" />
      <div>
        <p>
          <strong>The program was started again.</strong> It has printed a new link: paste it here to go on. Nothing
          that is shown here is lost.
        </p>
        <LinkForm />
        {openError.value !== undefined && <ErrorNotice error={openError.value} />}
      </div>
      <SaveShown />
    </div>
  );
}

function Restarted({ at, recording }: { readonly at: number; readonly recording?: string }) {
  const close = (): void => void (restarted.value = undefined);
  const save = (): void =>
    void call('saveCapture', { recording: recording ?? '' }).then(
      ({ name, text }) => saveFile(name, text),
      () => undefined,
    );
  return (
    <div class="note" role="status">
      <Icon name="reload" />
      <p>
        <strong>The program was started again at {shownTime(at)}.</strong> Results are still in the history
        {recording !== undefined && ', and the earlier messages in a recording of their own'}.
      </p>
      {recording !== undefined && (
        <>
          <Button
            onClick={() => {
              showRecording(recording);
              close();
            }}
          >
            Show them
          </Button>
          <Button icon="save" onClick={save}>
            Save them
          </Button>
        </>
      )}
      <IconButton icon="close" label="Close this note" onClick={close} />
    </div>
  );
}
