/** What is known of the chosen row: its text, the state of all connections right after it, or an editor to send it again. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, EventText } from '../../../../src/inspector/api.ts';
import { errorOf } from '../api/call.ts';
import { IconButton, Segments } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { JsonTree } from '../result/json-tree.tsx';
import { indexOfSeq, rowsOf } from '../state/rows.ts';
import { textOf } from '../state/texts.ts';
import { chooseRow, pinsOf, sideView, togglePin } from '../state/timeline.ts';
import { indented } from './indented.ts';
import { SendAgain } from './send-again.tsx';
import { StateAt } from './state-at.tsx';

interface DetailsProps {
  readonly recording: string;
  readonly seq: number;
}

export function Details({ recording, seq }: DetailsProps) {
  const rows = rowsOf(recording);
  const row = rows[indexOfSeq(rows, seq)];
  const { text, error } = useText(recording, seq);
  const canSend = row?.from === 'client' && row.type === 'request';
  const view = sideView.value === 'send' && !canSend ? 'message' : sideView.value;
  const isPinned = pinsOf(recording).includes(seq);
  return (
    <section class="details" aria-label="The chosen message">
      <div class="details-bar">
        <Segments
          label="Part of the message"
          value={view}
          options={[
            ['message', 'Message'],
            ['state', 'State'],
            ...(canSend ? ([['send', 'Send again']] as const) : []),
          ]}
          onChange={(next) => (sideView.value = next)}
        />
        <span class="spring" />
        <CopyButton what="the message" text={text && (() => indented(text.text))} />
        <IconButton
          icon="pin"
          label={isPinned ? 'Unpin' : 'Pin: it stays above the list'}
          isPressed={isPinned}
          onClick={() => togglePin(recording, seq)}
        />
        <IconButton icon="close" label="Close the message" onClick={() => chooseRow(undefined)} />
      </div>
      {view === 'state' && <StateAt recording={recording} seq={seq} />}
      {view !== 'state' && error !== undefined && <ErrorNotice error={error} />}
      {view === 'message' && text !== undefined && <Text key={seq} text={text} />}
      {view === 'send' && text !== undefined && <SendAgain key={seq} text={text.text} client={row?.client} />}
    </section>
  );
}

/** The text of a row: fetched when the row is chosen. */
function useText(recording: string, seq: number): { readonly text?: EventText; readonly error?: ApiError } {
  const found = useSignal<{ readonly of: string; readonly text?: EventText; readonly error?: ApiError }>({ of: '' });
  const of = `${recording} ${seq}`;
  useEffect(() => {
    void textOf(recording, seq).then(
      (text) => (found.value = { of, text }),
      (thrown) => (found.value = { of, error: errorOf(thrown) }),
    );
  }, [of]);
  // The answer for the row before may still be there.
  return found.value.of === of ? found.value : {};
}

function Text({ text: { text, isCut } }: { readonly text: EventText }) {
  try {
    return <JsonTree value={JSON.parse(text)} openTo={4} />;
  } catch {
    return <pre class="mono plain-text">{isCut ? `${text}…` : text}</pre>;
  }
}
