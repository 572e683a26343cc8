/** The strip of six steps through the first minutes with the demo. It ticks off what was done, and can be closed. */
import { signal } from '@preact/signals';
import { IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { copiedTitle } from '../features/copy-menu.tsx';
import { chosenSeq } from '../state/chosen.ts';
import { showPane } from '../state/panes.ts';
import { choose } from '../state/place.ts';
import { known } from '../state/store.ts';
import { doneSteps, type StepName } from './done-steps.ts';

const place = 'tenon-inspector-steps';
const isClosed = signal(globalThis.localStorage?.getItem(place) === 'closed');

const steps: readonly {
  readonly name: StepName;
  readonly text: string;
  readonly about: string;
  readonly go: () => void;
}[] = [
  { name: 'run', text: 'Run weather', about: 'Ctrl Enter runs what is open.', go: tool('weather') },
  { name: 'answer', text: 'Answer book', about: 'It asks for input while it runs.', go: tool('book') },
  {
    name: 'versions',
    text: 'Compare versions',
    about: 'Choose another version in the menu of the tab, and run it again.',
    go: tool('weather'),
  },
  {
    name: 'task',
    text: 'Follow a task',
    about: 'It goes on if the program is stopped and started again with DEMO_STORE.',
    go: tool('long_report'),
  },
  {
    name: 'look',
    text: 'Look back',
    about: 'Drag the moment below the timeline: the state of then is beside it.',
    go: () => showPane('timeline'),
  },
  { name: 'copy', text: 'Copy as command', about: 'Paste it into a terminal.', go: tool('weather') },
];

function tool(name: string): () => void {
  return () => {
    choose({ section: 'tools', name });
    showPane('section');
  };
}

export function Steps() {
  if (known.value.suggestion === undefined || isClosed.value) return null;
  const done = doneSteps(known.value, { hasChosenRow: chosenSeq.value !== undefined, copied: copiedTitle.value });
  const next = steps.find(({ name }) => !done.has(name));
  const close = (): void => {
    isClosed.value = true;
    localStorage.setItem(place, 'closed');
  };
  return (
    <nav class="steps" aria-label="The first five minutes">
      <ol>
        {steps.map(({ name, text, about, go }, at) => (
          <li key={name} class={done.has(name) ? 'done' : name === next?.name ? 'next' : undefined}>
            <button type="button" title={about} onClick={go}>
              <span class="step-sign">{done.has(name) ? <Icon name="check" /> : at + 1}</span>
              <span class="step-text">{text}</span>
            </button>
          </li>
        ))}
      </ol>
      <p class="step-about">{next?.about ?? 'That was all of it.'}</p>
      <IconButton icon="close" label="Close the first steps" onClick={close} />
    </nav>
  );
}
