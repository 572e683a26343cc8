/** What is known of the chosen row: its text, the state of all connections right after it, or an editor to send it again. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, EventText } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { IconButton, Segments } from '../controls/button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { JsonTree } from '../result/json-tree.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { indexOfSeq, rowsOf } from '../state/rows.ts';
import { SendAgain } from './send-again.tsx';
import { StateAt } from './state-at.tsx';
import { sideView } from './view.ts';

interface DetailsProps {
  readonly recording: string;
  readonly seq: number;
}

export function Details({ recording, seq }: DetailsProps) {
  const rows = rowsOf(recording);
  const row = rows[indexOfSeq(rows, seq)];
  const canSend = row?.from === 'client' && row.type === 'request';
  const view = sideView.value === 'send' && !canSend ? 'message' : sideView.value;
  return (
    <section class="details" aria-label="The chosen message">
      <div class="details-bar">
        <Segments
          label="What is shown of it"
          value={view}
          options={[
            ['message', 'Message'],
            ['state', 'State'],
            ...(canSend ? ([['send', 'Send again']] as const) : []),
          ]}
          onChange={(next) => (sideView.value = next)}
        />
        <span class="faint mono">#{seq}</span>
        <span class="spring" />
        <IconButton icon="close" label="Close" onClick={() => (chosenSeq.value = undefined)} />
      </div>
      {view === 'state' ? (
        <StateAt recording={recording} seq={seq} />
      ) : (
        <EventDetails key={seq} recording={recording} seq={seq} client={row?.client} isEdited={view === 'send'} />
      )}
    </section>
  );
}

interface EventDetailsProps extends DetailsProps {
  readonly client: string | undefined;
  readonly isEdited: boolean;
}

function EventDetails({ recording, seq, client, isEdited }: EventDetailsProps) {
  const text = useSignal<EventText | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    void call('texts', { recording, seqs: [seq] }).then(
      ({ texts }) => isWanted && (text.value = texts[0] ?? { seq, text: 'It was dropped to make room.' }),
      (thrown) => isWanted && (error.value = errorOf(thrown)),
    );
    return () => void (isWanted = false);
  }, [recording, seq]);
  if (error.value !== undefined) return <ErrorNotice error={error.value} />;
  if (text.value === undefined) return null;
  return isEdited ? <SendAgain text={text.value.text} client={client} /> : <Text text={text.value} />;
}

function Text({ text: { text, isCut } }: { readonly text: EventText }) {
  try {
    return <JsonTree value={JSON.parse(text)} openTo={4} />;
  } catch {
    return <pre class="mono plain-text">{isCut ? `${text}…` : text}</pre>;
  }
}
