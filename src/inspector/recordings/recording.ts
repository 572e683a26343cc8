/** The events of one recording, bounded: rows, texts, search, and the state at any moment. */
import { createCapture } from '../../capture/write-capture.ts';
import { Checkpoints } from '../../protocol/history/checkpoints.ts';
import type { History, HistoryEvent } from '../../protocol/history/state.ts';
import type { TapEvent } from '../../transport/tap.ts';
import type { EventText, Recording as RecordingInfo, Row } from '../api/timeline.ts';
import { parsed, RowReader } from './row-reader.ts';

/** What a recording stores at most; beyond it, the oldest events are dropped. */
export interface RecordingLimits {
  readonly maxEvents: number;
  readonly maxChars: number;
}

/**
 * Characters of one text of an answer.
 * @limit inspector
 * @beyond the rest is left out
 */
const maxTextChars = 4 * 1024 * 1024;

/**
 * Characters of all texts of an answer.
 * @limit inspector
 * @beyond the rest is left out
 */
const maxTextsChars = 8 * 1024 * 1024;

/**
 * Hits of a search.
 * @limit inspector
 * @beyond the rest is left out
 */
const maxHits = 100_000;

/** Removing secrets takes about 25 microseconds for an event. */
const eventsAtOnce = 400;

/** A browser has only the timer, which is slower. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => void (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve)));

interface Entry {
  readonly row: Row;
  readonly event: TapEvent;
}

export class Recording {
  readonly id: string;
  readonly #name: string;
  readonly #began: number;
  readonly #isComplete: boolean;
  readonly #limits: RecordingLimits;
  readonly #reader: RowReader;
  readonly #checkpoints = new Checkpoints((seq) => this.#eventsAfter(seq));
  #entries: Entry[] = [];
  #chars = 0;
  /** The last event that was dropped; 0 if none was. */
  droppedSeq = 0;

  constructor(
    { id, name, began, isComplete }: Pick<RecordingInfo, 'id' | 'name' | 'began' | 'isComplete'>,
    limits: RecordingLimits,
  ) {
    this.id = id;
    this.#name = name;
    this.#began = began;
    this.#isComplete = isComplete;
    this.#limits = limits;
    this.#reader = new RowReader(() => began);
  }

  get info(): RecordingInfo {
    return {
      id: this.id,
      name: this.#name,
      began: this.#began,
      firstSeq: this.#entries[0]?.row.seq ?? 0,
      lastSeq: this.#entries.at(-1)?.row.seq ?? 0,
      rows: this.#entries.length,
      isComplete: this.#isComplete,
    };
  }

  /** Events come with ascending `seq`. `m` is the message of the event, if it is parsed already. */
  add(event: TapEvent, client?: string, m?: unknown): Row {
    const read = this.#reader.read(event, textOf(event), m);
    const row = client === undefined ? read : { ...read, client };
    this.#entries.push({ row, event });
    this.#chars += row.chars;
    const { maxEvents, maxChars } = this.#limits;
    if (this.#entries.length > maxEvents || this.#chars > maxChars) this.#dropOldest();
    return row;
  }

  rowsAfter(seq: number, limit: number): readonly Row[] {
    const from = this.#indexAfter(seq);
    return this.#entries.slice(from, from + limit).map(({ row }) => row);
  }

  texts(seqs: readonly number[]): EventText[] {
    const found: EventText[] = [];
    let room = maxTextsChars;
    for (const seq of seqs) {
      const entry = this.#entries[this.#indexAfter(seq) - 1];
      if (entry?.row.seq !== seq || room <= 0) continue;
      const whole = textOf(entry.event);
      const text = whole.slice(0, Math.min(maxTextChars, room));
      room -= text.length;
      found.push({ seq, text, ...(text.length < whole.length && { isCut: true }) });
    }
    return found;
  }

  search(text: string): { readonly seqs: readonly number[]; readonly isCut: boolean } {
    const sought = text.toLowerCase();
    const seqs: number[] = [];
    for (const { row, event } of this.#entries) {
      if (!textOf(event).toLowerCase().includes(sought)) continue;
      if (seqs.length === maxHits) return { seqs, isCut: true };
      seqs.push(row.seq);
    }
    return { seqs, isCut: false };
  }

  stateAt(seq: number): History {
    return this.#checkpoints.at(seq);
  }

  /** As a capture, without secrets; only of these clients if there are any. Other calls are answered meanwhile. */
  async capture(clients: readonly string[] | undefined, options: { readonly keepAnswers?: boolean }): Promise<string> {
    const lines: string[] = [];
    const capture = createCapture({ ...options, write: (line) => lines.push(line) });
    const entries = this.#entries.slice();
    for (const [index, { row, event }] of entries.entries()) {
      if (clients === undefined || clients.includes(row.client ?? '')) capture.tap(event);
      if (index % eventsAtOnce === 0) await nextTurn();
    }
    capture.end();
    return lines.join('');
  }

  /** Drops several at once: to drop one for every event would cost time. */
  #dropOldest(): void {
    const { maxEvents, maxChars } = this.#limits;
    let count = Math.ceil(maxEvents / 16);
    let chars = 0;
    for (const [index, { row }] of this.#entries.entries()) {
      if (index >= count && this.#chars - chars <= maxChars) break;
      count = Math.max(count, index + 1);
      chars += row.chars;
    }
    const last = this.#entries[Math.min(count, this.#entries.length) - 1];
    if (last === undefined) return;
    this.#checkpoints.drop(last.row.seq);
    this.droppedSeq = last.row.seq;
    this.#entries = this.#entries.slice(count);
    this.#chars -= chars;
  }

  /** Where the first event after `seq` is. */
  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.row.seq ?? Number.POSITIVE_INFINITY) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  *#eventsAfter(seq: number): Generator<HistoryEvent> {
    for (let index = this.#indexAfter(seq); index < this.#entries.length; index++) {
      const { event, row } = this.#entries[index] as Entry;
      const { at: _, ...rest } = event;
      if (rest.kind !== 'message') yield { ...rest, ms: row.ms };
      else {
        const { text, ...message } = rest;
        yield { ...message, m: parsed(text), ms: row.ms };
      }
    }
  }
}

/** The text of a message; anything else as JSON. */
export function textOf(event: TapEvent): string {
  if (event.kind === 'message') return event.text;
  const { seq: _seq, at: _at, connection: _connection, ...occurrence } = event;
  return JSON.stringify(occurrence);
}
