/** The strip of a tour through the server: each step opens what it is about, filled in, and is ticked off. */
import { signal } from '@preact/signals';
import type { TourStep } from '../../../../src/inspector/api.ts';
import { duplicate } from '../connect/duplicate.ts';
import { IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { useOneStop } from '../controls/one-stop.ts';
import { readSpans } from '../result/markdown.ts';
import { Spans } from '../result/markdown-view.tsx';
import { setDraft } from '../state/drafts.ts';
import { showPane } from '../state/panes.ts';
import { choose } from '../state/place.ts';
import { client, known } from '../state/store.ts';
import { timelineView } from '../state/timeline.ts';
import { doneSteps } from './tour.ts';

const place = 'tenon-inspector-steps';
const isClosed = signal(globalThis.localStorage?.getItem(place) === 'closed');

/** The step that was clicked last: its hint stays until it is done. One that was done before is read again. */
const clicked = signal<{ readonly step: string; readonly isAgain: boolean } | undefined>(undefined);

export const hasClosedSteps = (): boolean => known.value.tour !== undefined && isClosed.value;

export function showSteps(isShown: boolean): void {
  isClosed.value = !isShown;
  if (isShown) localStorage.removeItem(place);
  else localStorage.setItem(place, 'closed');
}

async function open({ id, opens }: TourStep): Promise<void> {
  const { tool, resource, protocolVersion } = opens;
  clicked.value = { step: id, isAgain: doneSteps.peek().has(id) };
  if (resource !== undefined) choose({ section: 'resources', name: resource });
  if (tool !== undefined) {
    if (opens.arguments !== undefined) setDraft(`tool ${tool}`, { value: opens.arguments });
    choose({ section: 'tools', name: tool });
    const shown = client.peek();
    if (protocolVersion !== undefined && shown !== undefined) await duplicate(shown.id, protocolVersion);
  }
  if (tool !== undefined || resource !== undefined) return showPane('section');
  timelineView.value = 'list';
  showPane('timeline');
}

export function Steps() {
  const { tour } = known.value;
  const stop = useOneStop<HTMLOListElement>('button');
  if (tour === undefined || isClosed.value) return null;
  const done = doneSteps.value;
  const isOpen = ({ id }: TourStep): boolean => !done.has(id);
  const { step: here, isAgain } = clicked.value ?? {};
  const next = tour.find((step) => step.id === here && (isAgain || isOpen(step))) ?? tour.find(isOpen);
  return (
    <nav class="steps" aria-label="First steps">
      <ol {...stop}>
        {tour.map((step, at) => (
          <li key={step.id} class={`${done.has(step.id) ? 'done' : ''} ${step === next ? 'next' : ''}`}>
            <button
              type="button"
              title={step.title}
              aria-current={step === next ? 'step' : undefined}
              onClick={() => void open(step).catch(() => undefined)}
            >
              <span class="step-sign">{done.has(step.id) ? <Icon name="check" /> : at + 1}</span>
              <span class="step-text">
                {step.title}
                {done.has(step.id) && <span class="unseen">, done</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <p class="step-about" role="status">
        {next === undefined ? 'All steps are done.' : <Spans spans={readSpans(next.hint)} />}
      </p>
      <IconButton icon="close" label="Close the first steps" onClick={() => showSteps(false)} />
    </nav>
  );
}
