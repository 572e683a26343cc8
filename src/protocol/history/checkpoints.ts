/** The state of a recording at any moment, folded from the last checkpoint before it instead of from the beginning. */
import { emptyHistory, foldEvent } from './fold.ts';
import type { History, HistoryEvent } from './state.ts';

/** A checkpoint is stored after this many events. */
const checkpointEvents = 1000;

/** The events after a `seq`, in order. */
export type EventsAfter = (seq: number) => Iterable<HistoryEvent>;

export class Checkpoints {
  /** Ascending. States share what did not change between them. */
  #points: History[] = [emptyHistory];
  readonly #eventsAfter: EventsAfter;

  constructor(eventsAfter: EventsAfter) {
    this.#eventsAfter = eventsAfter;
  }

  /** The state right after the event, or after the last one before it. */
  at(seq: number): History {
    const start = this.#points.findLast((point) => point.seq <= seq) ?? this.#points[0] ?? emptyHistory;
    const last = this.#points.at(-1) ?? start;
    let state = start;
    let folded = 0;
    for (const event of this.#eventsAfter(start.seq)) {
      if (event.seq > seq) break;
      state = foldEvent(state, event);
      if (++folded % checkpointEvents === 0 && state.seq > last.seq) this.#points.push(state);
    }
    return state;
  }

  /** To be called before events up to `seq` are dropped: later states begin with the one at `seq`. */
  drop(seq: number): void {
    const first = this.at(seq);
    this.#points = [first, ...this.#points.filter((point) => point.seq > first.seq)];
  }
}
