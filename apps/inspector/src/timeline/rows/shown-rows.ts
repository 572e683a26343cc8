/** The rows that the filter shows. A worker filters; what is appended is filtered alone. */

import { computed, effect, signal } from '@preact/signals';
import type { Row } from '../../../../../src/inspector/api.ts';
import { call } from '../../api/call.ts';
import { place } from '../../state/place.ts';
import { generationOf, rowChanges, rowsOf } from '../../state/rows.ts';
import { clearedSeq } from '../../state/timeline.ts';
import { noFilter, type RowFilter } from './filter.ts';
import type { FilterAnswer, FilterOrder } from './filter-worker.ts';
// oxlint-disable-next-line import/default -- the bundler makes it.
import address from './filter-worker.ts?worker&url';

export const filter = signal<RowFilter>(noFilter);

/** Rows of a capture are of no client of this page. */
export const hasClients = computed(() => place.value.recording === 'live');

/** With the rows that were cleared away. */
const wantedFilter = computed((): RowFilter => {
  const after = clearedSeq.value;
  const wanted = hasClients.value ? filter.value : { ...filter.value, client: undefined };
  return after === 0 ? wanted : { ...wanted, after };
});

/** The places of the shown rows among all rows of the recording, in order. */
export const shownPlaces = signal<Uint32Array>(new Uint32Array());

/** The shown rows in order, without copies of them. */
export interface ShownRows {
  readonly length: number;
  at(index: number): Row | undefined;
}

export const shownRows = computed((): ShownRows => {
  void rowChanges.value;
  const rows = rowsOf(place.value.recording);
  const places = shownPlaces.value;
  return { length: places.length, at: (index) => rows[places[index] ?? -1] };
});

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };

/** Accepts nothing but the files of the page. */
const policy = trustedTypes?.createPolicy('inspector', {
  createScriptURL(text) {
    if (new URL(text, location.href).origin !== location.origin)
      throw new Error('Only files of this page are scripts.');
    return text;
  },
});

/** The content policy of the page accepts the address of a worker only from a policy of its own. */
const startFilterWorker = (): Worker => new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' });

/** What the worker has: of which recording, how many rows, and the filter of its last answer. */
let sent = { recording: '', generation: -1, count: 0, filter: noFilter };
let orders = 0;
/** Answers to earlier orders are part of later ones only if nothing was begun anew since. */
let begunWith = 0;

function onAnswer({ data: { number, from, places } }: MessageEvent<FilterAnswer>): void {
  if (number < begunWith) return;
  if (from === 0) shownPlaces.value = places;
  else if (places.length > 0) shownPlaces.value = joined(shownPlaces.peek(), places);
}

function joined(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Begins to filter. Runs until the page is closed. */
export function followRows(): void {
  const worker = startFilterWorker();
  worker.onmessage = onAnswer;
  effect(() => {
    void rowChanges.value;
    const { recording } = place.value;
    const rows = rowsOf(recording);
    const generation = generationOf(recording);
    const wanted = wantedFilter.value;
    const isNew = sent.recording !== recording || sent.generation !== generation;
    const isOther = isNew || sent.filter !== wanted;
    if (!isOther && sent.count === rows.length) return;
    const number = ++orders;
    if (isOther) begunWith = number;
    const order: FilterOrder = {
      number,
      isNew,
      rows: rows.slice(isNew ? 0 : sent.count),
      filter: wanted,
      from: isOther ? 0 : sent.count,
    };
    sent = { recording, generation, count: rows.length, filter: wanted };
    worker.postMessage(order, []);
  });
}

const pauseMs = 200;
let searching: ReturnType<typeof setTimeout> | undefined;

/** Filters by a text: at once by what the rows show, and soon by the whole texts, which the backend has. */
export function searchText(text: string): void {
  const { kind, client } = filter.peek();
  filter.value = { kind, client, text: text.toLowerCase() };
  clearTimeout(searching);
  if (text === '') return;
  searching = setTimeout(() => void searchWhole(text).catch(() => undefined), pauseMs);
}

async function searchWhole(text: string): Promise<void> {
  const { seqs } = await call('search', { recording: place.peek().recording, text });
  if (filter.peek().text === text.toLowerCase()) filter.value = { ...filter.peek(), found: seqs };
}
