/** All that happens in the inspector, in one order: rows of the live recording, and changes. A page resumes by `seq`. */
import { runSafely } from '../lib/values/run-safely.ts';
import type { InspectorChange, InspectorEvent, LogEvent } from './api/events.ts';
import type { Row } from './api/timeline.ts';
import type { Recording } from './recordings/recording.ts';

/**
 * Changes that a page can resume from. Rows are stored by the recording.
 * @limit inspector
 * @beyond the page loads everything again
 */
const maxChanges = 5000;

/**
 * Characters of these changes.
 * @limit inspector
 * @beyond the page loads everything again
 */
const maxChangeChars = 16 * 1024 * 1024;

/**
 * Characters of what a page has missed and gets when it connects again: of more it would be cut off, again and again.
 * @limit inspector
 * @beyond the page loads everything again
 */
const maxMissedChars = 8 * 1024 * 1024;

/** Longer texts are fetched. */
const maxSentChars = 4000;

/** How many of the oldest are dropped at once: to drop one for every change would move all others each time. */
const droppedAtOnce = 500;

/**
 * Lines of the log that a page gets when it is opened.
 * @limit inspector
 * @beyond the newest are sent
 */
const maxLogs = 500;

const isLog = (event: InspectorEvent): event is LogEvent =>
  event.type === 'log' || event.type === 'output' || event.type === 'warning';

function isLong(events: readonly InspectorEvent[]): boolean {
  let chars = 0;
  for (const event of events) {
    chars += JSON.stringify(event).length;
    if (chars > maxMissedChars) return true;
  }
  return false;
}

interface StoredChange {
  readonly event: InspectorEvent;
  readonly chars: number;
}

export type EventListener = (event: InspectorEvent) => void;

export class EventLog {
  readonly #live: Recording;
  readonly #listeners = new Set<EventListener>();
  readonly #now: () => number;
  #changes: StoredChange[] = [];
  #chars = 0;
  #seq = 0;
  /** The last change that was dropped. */
  #droppedSeq = 0;

  constructor(live: Recording, now: () => number) {
    this.#live = live;
    this.#now = now;
  }

  get seq(): number {
    return this.#seq;
  }

  /** The number of the next event, which the caller uses at once. */
  next(): number {
    return ++this.#seq;
  }

  publish(change: InspectorChange): void {
    const event = { seq: this.next(), at: this.#now(), ...change };
    const chars = JSON.stringify(event).length;
    this.#changes.push({ event, chars });
    this.#chars += chars;
    if (this.#changes.length > maxChanges || this.#chars > maxChangeChars) this.#dropOldest();
    this.#send(event);
  }

  /** The newest lines of the log, the oldest first. */
  logs(): readonly LogEvent[] {
    return this.#changes
      .map(({ event }) => event)
      .filter(isLog)
      .slice(-maxLogs);
  }

  /** A row has the number that it got from `next`. */
  publishRow(row: Row, at: number, text: string): void {
    this.#send({ seq: row.seq, at, type: 'row', row, ...(text.length <= maxSentChars && { text }) });
  }

  /** Everything after `seq`, then all that happens, until the returned function is called. */
  listen(seq: number, listener: EventListener): () => void {
    for (const event of this.#after(seq)) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #after(seq: number): InspectorEvent[] {
    const { began } = this.#live.info;
    const hasGap = seq > this.#seq || seq < this.#droppedSeq || seq < this.#live.droppedSeq;
    // A page that missed something loads everything again, which includes what came until now.
    if (hasGap) return [this.#reset()];
    const missed = this.#live
      .rowsAfter(seq, Number.POSITIVE_INFINITY)
      .map((row): InspectorEvent => ({ seq: row.seq, at: began + row.ms, type: 'row', row }));
    const changes = this.#changes.map(({ event }) => event).filter((event) => event.seq > seq);
    const all = [...missed, ...changes].sort((one, other) => one.seq - other.seq);
    return isLong(all) ? [this.#reset()] : all;
  }

  #reset(): InspectorEvent {
    return { seq: this.#seq, at: this.#now(), type: 'reset' };
  }

  #dropOldest(): void {
    let count = 0;
    for (const { event, chars } of this.#changes) {
      if (count >= droppedAtOnce && this.#chars <= maxChangeChars) break;
      count++;
      this.#chars -= chars;
      this.#droppedSeq = event.seq;
    }
    this.#changes = this.#changes.slice(count);
  }

  #send(event: InspectorEvent): void {
    for (const listener of this.#listeners) runSafely(() => listener(event));
  }
}
