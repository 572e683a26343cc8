/** Sends a request again, edited, on a new connection to the same server. */
import { useSignal } from '@preact/signals';
import type { ApiError } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { JsonEditor } from '../form/json-editor.tsx';
import { ResultView } from '../result/result.tsx';
import { known, putClient, client as shownClient } from '../state/store.ts';
import { indented } from './indented.ts';

/** `client` is absent in a capture: then it is sent by the client that is open. */
export function SendAgain({ text: given, client }: { readonly text: string; readonly client: string | undefined }) {
  const text = useSignal(indented(given));
  const run = useSignal<string | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const by = client ?? shownClient.value?.id;
  const send = async (): Promise<void> => {
    if (by === undefined) return;
    error.value = undefined;
    run.value = undefined;
    try {
      const answer = await call('resend', { client: by, text: text.value });
      putClient(answer.client);
      run.value = answer.run.id;
    } catch (thrown) {
      error.value = errorOf(thrown);
    }
  };
  const shown = known.value.runs.find(({ id }) => id === run.value);
  return (
    <div class="send-again">
      <div class="run-bar">
        <Button variant="primary" onClick={() => void send()} isDisabled={by === undefined}>
          Send on a new connection
        </Button>
        {shown?.status === 'running' && <span class="soft">Running…</span>}
      </div>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
      {shown?.error !== undefined && <ErrorNotice error={shown.error} />}
      {shown?.status === 'done' && <ResultView key={shown.id} run={shown} />}
      <JsonEditor
        label="The request to send"
        value={text.value}
        onChange={(next) => (text.value = next)}
        maxRows={14}
      />
    </div>
  );
}
