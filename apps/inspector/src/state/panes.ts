/** Which panes are shown: one at a time on a narrow screen, the activity on request on a middle one, all of them on a wide one. */
import { computed, signal } from '@preact/signals';

export type Pane = 'section' | 'activity' | 'timeline';

const narrowScreen = globalThis.matchMedia?.('(max-width: 760px)');
const wideScreen = globalThis.matchMedia?.('(min-width: 1100px)');

export const isNarrow = signal(narrowScreen?.matches === true);
const isWide = signal(wideScreen?.matches === true);

/** What a narrow screen shows. */
export const narrowPane = signal<Pane>('section');

/** What the user has chosen; by default there is room for the activity on a wide screen only. */
const asideChoice = signal<boolean | undefined>(undefined);
export const isAsideOpen = computed(() => asideChoice.value ?? isWide.value);

/** Whether the timeline has the room of the section and the activity too. */
export const isTimelineWhole = signal(false);

/** Brings a pane into view, whatever the width of the screen. */
export function showPane(pane: Pane): void {
  narrowPane.value = pane;
  if (pane !== 'timeline') isTimelineWhole.value = false;
  if (pane === 'activity' && !isAsideOpen.peek()) asideChoice.value = true;
  // On a middle screen the activity is in the place of the list.
  if (pane === 'section' && !isWide.peek()) asideChoice.value = undefined;
}

export const toggleAside = (): void => void (asideChoice.value = !isAsideOpen.peek());

export function toggleTimeline(): void {
  isTimelineWhole.value = !isTimelineWhole.peek();
}

/** Follows the width of the screen. */
export function followWidth(): void {
  narrowScreen?.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
  wideScreen?.addEventListener('change', ({ matches }) => {
    isWide.value = matches;
    asideChoice.value = undefined;
  });
}
