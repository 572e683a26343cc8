/** The roots of a client: the folders that it offers to the server. */
import { useSignal } from '@preact/signals';
import type { ApiError, ClientInfo } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { putClient } from '../state/store.ts';

export function Roots({ client }: { readonly client: ClientInfo }) {
  const text = useSignal(client.roots.map(({ uri }) => uri).join('\n'));
  const error = useSignal<ApiError | undefined>(undefined);
  const status = useSignal('');
  const save = (): void => {
    const uris = text.value.split('\n').map((line) => line.trim());
    const roots = uris.filter((uri) => uri !== '').map((uri) => ({ uri }));
    const wrong = roots.find(({ uri }) => !uri.startsWith('file://') || !URL.canParse(uri));
    status.value = '';
    error.value = wrong && noFolder(wrong.uri);
    if (wrong !== undefined) return;
    void call('roots', { client: client.id, roots }).then(
      (answer) => {
        putClient(answer.client);
        return (status.value = 'The roots are set.');
      },
      (thrown) => (error.value = errorOf(thrown)),
    );
  };
  return (
    <section aria-label="Roots">
      <h3>Roots</h3>
      <p class="field-about">Folders that this client offers to the server, one URI a line.</p>
      <textarea
        class="mono"
        rows={2}
        aria-label="Roots"
        placeholder="file:///home/ada/project"
        spellcheck={false}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="run-bar">
        <Button onClick={save}>Set roots</Button>
        <span class="soft" role="status">
          {status.value}
        </span>
      </div>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </section>
  );
}

const noFolder = (uri: string): ApiError => ({
  code: 'invalid-root',
  message: `${JSON.stringify(uri)} is not the URI of a folder.`,
  hint: 'Write it in full: file:///home/me/project.',
});
