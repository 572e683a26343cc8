/** What is shown without a valid key: where to find the link, and a field to paste it. */
import { useSignal } from '@preact/signals';
import { tokenIn } from '../api/key.ts';
import { Button } from '../controls/button.tsx';
import { Mark } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { isOfEarlierProcess, open, openError } from '../state/store.ts';

export function Locked() {
  const pasted = useSignal('');
  const enter = (event: Event): void => {
    event.preventDefault();
    if (pasted.value.trim() !== '') void open(tokenIn(pasted.value));
  };
  return (
    <main class="locked">
      <Mark />
      {isOfEarlierProcess.value ? <AfterRestart /> : <FirstTime />}
      <form onSubmit={enter}>
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
      {openError.value !== undefined && <ErrorNotice error={openError.value} />}
    </main>
  );
}

const FirstTime = () => (
  <>
    <h1>Open the link from the terminal</h1>
    <p class="soft">
      The program that serves this page has printed a line that begins with <code>inspector</code>. Its link has a new
      token each time the program is started.
    </p>
  </>
);

const AfterRestart = () => (
  <>
    <h1>The program was started again</h1>
    <p class="soft">
      This page belonged to the process before. Open the link that the new one has printed: its line begins with{' '}
      <code>inspector</code>.
    </p>
    <p class="soft">
      Clients and messages ended with the old process. A task in a store that lasts goes on, and is found again.
    </p>
  </>
);
