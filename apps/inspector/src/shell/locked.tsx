/** What is shown before the page was opened: where to find the link, and a field to paste it. */
import { useSignal } from '@preact/signals';
import { tokenIn } from '../api/key.ts';
import { Button } from '../controls/button.tsx';
import { Mark } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { open, openError } from '../state/opening.ts';

export const Locked = () => (
  <main class="locked">
    <Mark />
    <h1>Open the link from the terminal</h1>
    <p class="soft">
      The program that serves this page has printed a line that begins with <code>inspector</code>. Its link has a new
      token each time the program is started.
    </p>
    <LinkForm />
    {openError.value !== undefined && <ErrorNotice error={openError.value} />}
  </main>
);

/** A link to the inspector on another port is opened there. */
function enter(pasted: string): void {
  const text = pasted.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isElsewhere = url !== undefined && url.port !== location.port;
  if (isElsewhere && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) location.assign(url.href);
  else if (text !== '') void open(tokenIn(text));
}

export function LinkForm() {
  const pasted = useSignal('');
  return (
    <form
      class="link-form"
      onSubmit={(event) => {
        event.preventDefault();
        enter(pasted.value);
      }}
    >
      <input
        type="password"
        aria-label="The link, or its token"
        placeholder="http://127.0.0.1:3000/?token=…"
        autocomplete="off"
        value={pasted}
        onInput={(event) => (pasted.value = event.currentTarget.value)}
      />
      <Button type="submit" variant="primary">
        Open
      </Button>
    </form>
  );
}
