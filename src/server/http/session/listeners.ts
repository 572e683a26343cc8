/** Who listens to what one session tells unasked: the newest hears it, those before stay open and silent. */
import type { EventSink } from '../message.ts';
import { comeBack, type Keeper } from '../reply/event-output.ts';
import type { AttachedAt, Stream } from './streams.ts';

/**
 * The one before may be a connection that is dead and does not know it. Ended, a client that lives would come back and take
 * the stream again, and two would take it from each other for ever.
 */
export class Listeners {
  readonly #keeper: Keeper;
  /** How many may be silent. */
  readonly #most: number;
  #hearing: EventSink | undefined;
  /** Oldest first. */
  readonly #silent = new Set<EventSink>();

  constructor(keeper: Keeper, most: number) {
    this.#keeper = keeper;
    this.#most = most;
  }

  join(stream: Stream, sink: EventSink, ...place: AttachedAt): void {
    this.silence(stream);
    this.#hearing = sink;
    stream.attach(sink, ...place);
  }

  /** Whoever hears the stream hears no more of it. */
  silence(stream: Stream): void {
    const before = this.#hearing;
    this.#hearing = undefined;
    stream.part();
    if (before === undefined || !this.#keeper.open.has(before)) return;
    this.#silent.add(before);
    const [oldest] = this.#silent;
    if (this.#silent.size > this.#most && oldest !== undefined) this.#sendBack(oldest);
  }

  /** A connection has ended; says whether it is the one that heard the stream. */
  leave(sink: EventSink): boolean {
    if (this.#silent.delete(sink)) this.#keeper.open.delete(sink);
    if (this.#hearing !== sink) return false;
    this.#hearing = undefined;
    return true;
  }

  /** Nobody hears the stream any more. Those whose clients live come back for it; what is told meanwhile waits, and is not lost to a dead one. */
  sendBackAll(): void {
    for (const sink of this.#silent) this.#sendBack(sink);
  }

  close(): void {
    for (const sink of this.#silent) this.#end(sink);
  }

  #sendBack(sink: EventSink): void {
    sink.write(comeBack);
    this.#end(sink);
  }

  #end(sink: EventSink): void {
    this.#silent.delete(sink);
    this.#keeper.open.delete(sink);
    sink.end();
  }
}
