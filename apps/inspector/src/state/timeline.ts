/** How the timeline is shown, what is shown of the chosen row, and whether it follows the newest one. */
import { computed, signal } from '@preact/signals';
import { chosenSeq, isLive } from './chosen.ts';
import { isTimelineWhole, showPane } from './panes.ts';
import { place } from './place.ts';
import { rowsOf } from './rows.ts';
import { known } from './store.ts';

export const timelineView = signal<'list' | 'sequence' | 'numbers' | 'compare'>('list');

/** The message, the state of all connections right after it, or an editor to send it again. */
export const sideView = signal<'message' | 'state' | 'send'>('message');

export function goLive(): void {
  sideView.value = 'message';
  chosenSeq.value = undefined;
  isLive.value = true;
}

/** Shows a row. */
export function chooseRow(seq: number | undefined): void {
  if (seq !== undefined) isLive.value = false;
  chosenSeq.value = seq;
}

/** When the shown recording began, in milliseconds since the Unix epoch. */
export const began = computed(() => known.value.recordings.find(({ id }) => id === place.value.recording)?.began ?? 0);

type BySeq = Readonly<Record<string, readonly number[]>>;

/** Rows that stay in view, by recording. */
const pins = signal<BySeq>({});

export const pinsOf = (recording: string): readonly number[] => pins.value[recording] ?? [];

export function togglePin(recording: string, seq: number): void {
  const before = pinsOf(recording);
  const after = before.includes(seq) ? before.filter((each) => each !== seq) : [...before, seq].sort((a, b) => a - b);
  pins.value = { ...pins.peek(), [recording]: after };
}

/** By recording, the last row that was cleared away. The backend has it still: clearing is undone at any time. */
const cleared = signal<Readonly<Record<string, number>>>({});

export const clearedSeq = computed(() => cleared.value[place.value.recording] ?? 0);

export function clearRows(): void {
  const { recording } = place.peek();
  chosenSeq.value = undefined;
  cleared.value = { ...cleared.peek(), [recording]: rowsOf(recording).at(-1)?.seq ?? 0 };
  isLive.value = true;
}

export const undoClear = (): void => {
  cleared.value = { ...cleared.peek(), [place.peek().recording]: 0 };
};

/** What the page remembers of the rows of the live recording belongs to the process that has ended. */
export function resetLive(): void {
  chosenSeq.value = undefined;
  isLive.value = true;
  pins.value = { ...pins.peek(), live: [] };
  cleared.value = { ...cleared.peek(), live: 0 };
}

/** The two conversations that are compared, by their ids: `run r3`, `client c1`, or `f1 2` for a connection of a capture. */
export const compared = signal<readonly [left: string, right: string]>(['', '']);

/** Shows all messages of two runs side by side. */
export function compareRuns(before: { readonly id: string }, after: { readonly id: string }): void {
  compared.value = [`run ${before.id}`, `run ${after.id}`];
  timelineView.value = 'compare';
  showPane('timeline');
  isTimelineWhole.value = true;
}
