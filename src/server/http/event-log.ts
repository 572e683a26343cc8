/** The streams of one session: what was sent on each, so that a reader who lost one can take it up again. */
import { formatEvent } from '../../transport/sse.ts';
import type { EventSink } from './message.ts';
import { type Keeper, type Outlet, writeTo } from './outlet.ts';

export interface EventLogLimits {
  /** Characters kept of one stream. */
  readonly maxKept: number;
  /** Streams that can be taken up again. */
  readonly maxStreams: number;
}

interface Kept {
  readonly n: number;
  readonly text: string;
}

class Stream implements Outlet {
  readonly key: string;
  readonly #keeper: Keeper;
  readonly #maxKept: number;
  #kept: Kept[] = [];
  #size = 0;
  #next = 1;
  /** The last event that some reader was given. */
  #given = 0;
  #sink: EventSink | undefined;
  /** Names the events for a reader that wants them named. */
  #named = '';
  #ended = false;

  constructor(key: string, keeper: Keeper, maxKept: number) {
    this.key = key;
    this.#keeper = keeper;
    this.#maxKept = maxKept;
  }

  get isRead(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether it can be forgotten without loss to anybody who has a part of it. */
  get isSpare(): boolean {
    return this.#ended && this.#sink === undefined;
  }

  /** Sends everything after event `last` to a reader, or what nobody was given yet; then whatever comes. */
  attach(sink: EventSink, last: number = this.#given, name?: string): void {
    const before = this.#sink;
    this.#named = name === undefined ? '' : `event: ${name}\n`;
    this.#detach();
    before?.end();
    this.#sink = sink;
    this.#keeper.open.add(sink);
    // What is kept is bounded already; a reader who comes for it is not slow.
    for (const { n, text } of this.#kept) if (n > last) sink.write(this.#named + text);
    this.#given = this.#next - 1;
    if (this.#ended) this.end();
  }

  /** Whether what follows event `last` is all still there. */
  hasAfter(last: number): boolean {
    return last < this.#next && (this.#kept[0] === undefined || this.#kept[0].n <= last + 1);
  }

  /** The reader has gone. A stream on which nothing was ever sent is of no more use, unless it is to stay. */
  lose(sink: EventSink, stays = true): void {
    if (this.#sink === sink) this.#detach();
    if (!stays && this.#next === 1) this.#ended = true;
  }

  event(data: string, retry?: number): void {
    const n = this.#next++;
    const text = formatEvent({ id: `${this.key}.${n}`, data, ...(retry !== undefined && { retry }) });
    const kept = { n, text };
    this.#keep(kept);
    this.#give(kept);
  }

  pause(retryMs: number): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#write(`retry: ${retryMs}\n\n`);
    this.#detach();
    sink.end();
  }

  end(): void {
    this.#ended = true;
    const sink = this.#sink;
    this.#detach();
    sink?.end();
  }

  #give({ n, text }: Kept): void {
    if (this.#sink === undefined) return;
    this.#write(this.#named + text);
    if (this.#sink !== undefined) this.#given = Math.max(this.#given, n);
  }

  #write(text: string): void {
    if (this.#sink !== undefined && !writeTo(this.#sink, text, this.#keeper)) this.#sink = undefined;
  }

  #detach(): void {
    if (this.#sink !== undefined) this.#keeper.open.delete(this.#sink);
    this.#sink = undefined;
  }

  #keep(kept: Kept): void {
    this.#kept.push(kept);
    this.#size += kept.text.length;
    while (this.#size > this.#maxKept && this.#kept.length > 1) this.#size -= this.#kept.shift()?.text.length ?? 0;
  }
}

export type { Stream };

export interface EventLog {
  /** A stream of its own. Calls under way get theirs even where there is no room: something else bounds those. */
  begin(): Stream;
  /** Whether there is room for one more stream. */
  hasRoom(): boolean;
  /** The stream that an event belongs to, and the place of the event in it. */
  find(eventId: string): { readonly stream: Stream; readonly last: number } | undefined;
  end(): void;
}

export function createEventLog(keeper: Keeper, { maxKept, maxStreams }: EventLogLimits): EventLog {
  const streams = new Map<string, Stream>();
  let count = 0;
  /** Makes room by forgetting the oldest stream that is over; says whether there is room. */
  function hasRoom(): boolean {
    if (streams.size < maxStreams) return true;
    for (const { isSpare, key } of streams.values()) if (isSpare) return streams.delete(key);
    return false;
  }

  return {
    begin() {
      hasRoom();
      count++;
      const stream = new Stream(count.toString(36), keeper, maxKept);
      streams.set(stream.key, stream);
      return stream;
    },
    hasRoom,
    find(eventId) {
      const [, key = '', n] = /^([0-9a-z]{1,12})\.(\d{1,15})$/.exec(eventId) ?? [];
      const stream = streams.get(key);
      return stream?.hasAfter(Number(n)) ? { stream, last: Number(n) } : undefined;
    },
    end() {
      for (const stream of streams.values()) stream.end();
      streams.clear();
    },
  };
}
