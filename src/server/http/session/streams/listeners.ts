/** The connections that listen to one session: the newest receives the events, older ones stay open and silent. */
import type { EventSink } from '../../message.ts';
import { type EventSinks, retryHint } from '../../reply/event-output.ts';
import type { Stream } from './stream.ts';
import type { ReadFrom } from './stream-ports.ts';

/**
 * An older connection may be dead, which the server cannot know. If it were closed, a live client would reconnect and
 * take the stream over again, and two clients would take it from each other forever.
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

  /** Whether a connection receives the stream. */
  get isReceiving(): boolean {
    return this.#receiving !== undefined;
  }

  add(stream: Stream, sink: EventSink, ...from: ReadFrom): void {
    this.silence(stream);
    this.#receiving = sink;
    stream.attach(sink, ...from);
  }

  /** Sends no more events to the connection that receives the stream; it stays open. */
  silence(stream: Stream): void {
    const before = this.#receiving;
    this.#receiving = undefined;
    stream.mute();
    if (before === undefined || !this.#sinks.open.has(before)) return;
    this.#silent.add(before);
    const [oldest] = this.#silent;
    if (this.#silent.size > this.#maxSilent && oldest !== undefined) this.#reconnect(oldest);
  }

  /** A connection has closed; returns whether it is the one that received the stream. */
  remove(sink: EventSink): boolean {
    if (this.#silent.delete(sink)) this.#sinks.open.delete(sink);
    if (this.#receiving !== sink) return false;
    this.#receiving = undefined;
    return true;
  }

  /** No connection receives the stream any more: makes the silent ones reconnect. Events sent meanwhile wait for them. */
  reconnectSilent(): void {
    for (const sink of this.#silent) this.#reconnect(sink);
  }

  /** Makes all connections reconnect. The one that receives the stream is removed when it has closed. */
  reconnectAll(): void {
    const receiving = this.#receiving;
    this.reconnectSilent();
    if (receiving !== undefined && this.#sinks.open.has(receiving)) this.#reconnect(receiving);
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
