/** Texts of rows. Short ones come with their rows, others are fetched ahead: details open at once, and what was shown can be saved when its process has ended. */
import { effect } from '@preact/signals';
import type { EventText } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { rowChanges, rowsOf } from './rows.ts';
import { link, phase } from './store.ts';

/**
 * On the page: characters of texts that are fetched ahead.
 * @limit inspector
 * @beyond the oldest are fetched when they are shown, and are missing in what is saved after the program has ended
 */
const maxChars = 8 * 1024 * 1024;

/** Of one call. */
const textsAtOnce = 256;
const pauseMs = 300;

const texts = new Map<number, EventText>();
let chars = 0;
/** The last row whose text was asked for. */
let last = 0;

export function addTexts(added: readonly EventText[]): void {
  for (const text of added) {
    if (!texts.has(text.seq)) chars += text.text.length;
    texts.set(text.seq, text);
  }
  for (const [seq, { text }] of texts) {
    if (chars <= maxChars) return;
    texts.delete(seq);
    chars -= text.length;
  }
}

/** The texts of the live recording that there are, by row. */
export const liveTexts = (): ReadonlyMap<number, EventText> => texts;

export function forgetTexts(): void {
  texts.clear();
  chars = 0;
  last = 0;
}

export async function textOf(recording: string, seq: number): Promise<EventText> {
  const known = recording === 'live' ? texts.get(seq) : undefined;
  if (known !== undefined) return known;
  const [found] = (await call('texts', { recording, seqs: [seq] })).texts;
  if (found !== undefined && recording === 'live') addTexts([found]);
  return found ?? { seq, text: 'It was dropped to make room.' };
}

/** Of many rows at once, only the newest are fetched. */
const maxRowsAtOnce = 4096;

/** Fetches the texts of new rows, once for all that come within a moment. */
export function followTexts(): void {
  let isFetching = false;
  const fetchNew = async (): Promise<void> => {
    const wanted = rowsOf('live')
      .slice(-maxRowsAtOnce)
      .filter(({ seq }) => seq > last && !texts.has(seq));
    last = Math.max(last, wanted.at(-1)?.seq ?? 0);
    for (let at = 0; at < wanted.length; at += textsAtOnce) {
      const seqs = wanted.slice(at, at + textsAtOnce).map(({ seq }) => seq);
      addTexts((await call('texts', { recording: 'live', seqs })).texts);
    }
  };
  effect(() => {
    void rowChanges.value;
    if (phase.value !== 'open' || link.value !== 'live' || isFetching) return;
    isFetching = true;
    setTimeout(() => {
      isFetching = false;
      void fetchNew().catch(() => undefined);
    }, pauseMs);
  });
}
