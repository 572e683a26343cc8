/** The client connections that listen to one session: the newest receives the events, those before stay open and silent. */
import type { EventSink } from '../../message.ts';
import { type EventSinks, retryHint } from '../../reply/event-output.ts';
import type { ReadFrom, Stream } from './stream.ts';

/**
 * An older connection may be dead without knowing. If it were ended, a client that lives would reconnect and take the
 * stream again, and two clients would take it from each other for ever.
 */
export class Listeners {
  readonly #sinks: EventSinks;
  readonly #maxSilent: number;
  #receiving: EventSink | undefined;
  /** Oldest first. */
  readonly #silent = new Set<EventSink>();

  constructor(sinks: EventSinks, maxSilent: number) {
    this.#sinks = sinks;
    this.#maxSilent = maxSilent;
  }

  add(stream: Stream, sink: EventSink, ...from: ReadFrom): void {
    this.silence(stream);
    this.#receiving = sink;
    stream.attach(sink, ...from);
  }

  /** The connection that receives the stream receives no more of it. */
  silence(stream: Stream): void {
    const before = this.#receiving;
    this.#receiving = undefined;
    stream.mute();
    if (before === undefined || !this.#sinks.open.has(before)) return;
    this.#silent.add(before);
    const [oldest] = this.#silent;
    if (this.#silent.size > this.#maxSilent && oldest !== undefined) this.#reconnect(oldest);
  }

  /** A connection has closed; says whether it is the one that received the stream. */
  remove(sink: EventSink): boolean {
    if (this.#silent.delete(sink)) this.#sinks.open.delete(sink);
    if (this.#receiving !== sink) return false;
    this.#receiving = undefined;
    return true;
  }

  /** No connection receives the stream any more: clients that live reconnect, and what is sent meanwhile waits for them. */
  reconnectSilent(): void {
    for (const sink of this.#silent) this.#reconnect(sink);
  }

  close(): void {
    for (const sink of this.#silent) this.#end(sink);
  }

  #reconnect(sink: EventSink): void {
    sink.write(retryHint);
    this.#end(sink);
  }

  #end(sink: EventSink): void {
    this.#silent.delete(sink);
    this.#sinks.open.delete(sink);
    sink.end();
  }
}
