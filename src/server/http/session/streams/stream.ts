/** One stream of a session: every event is stored and sent to the client that reads the stream, which can resume after it. */
import { TenonError } from '../../../../jsonrpc/errors.ts';
import type { EventLogLimits, EventStore, StoredEvents } from '../../../../store/events/event-store.ts';
import { formatEvent } from '../../../../transport/sse.ts';
import type { EventSink } from '../../message.ts';
import { type EventOutput, type EventSinks, writeTo } from '../../reply/event-output.ts';
import type { StreamMessage } from '../nodes/node-bus.ts';
import { eventLine, formatWithId } from './event-ids.ts';
import { OperationQueue } from './operation-queue.ts';

/** What streams need of their session. */
export interface StreamPorts {
  /** The key of the session in the store. */
  readonly key: string;
  readonly logs: EventStore;
  readonly sinks: EventSinks & EventLogLimits;
  /** A name that no other stream of the session has, at any endpoint. */
  newName(): string;
  /** Publishes to the other endpoints that hold the session, if there are any. */
  publish(message: StreamMessage): void;
  /** Called when the stream is neither written nor read here any more. */
  forget(stream: Stream): void;
  readonly storeFailed: (cause: unknown) => void;
}

/** Which endpoint writes a stream: this one, this one for a client of another endpoint, or another one. */
export type StreamWriter = 'here' | 'for-another' | 'elsewhere';

/** The event after which a client reads, the name of its events, and whether the client did not choose that event. */
export type ReadFrom = [last: number | undefined, eventName: string | undefined, isAnywhere: boolean];

export class Stream implements EventOutput {
  readonly name: string;
  readonly #ports: StreamPorts;
  readonly #operations: OperationQueue;
  /** The last event that was sent to a client. */
  #lastSent = 0;
  /** The last event that was written here. */
  #written = 0;
  /** Whether the client did not specify after which event it reads. */
  #isAnywhere = false;
  #sink: EventSink | undefined;
  /** Names the events for a client that wants them named. */
  #eventLine = '';
  #writer: 'here' | 'elsewhere' | 'none';
  /** Whether what is written here is read at another endpoint. */
  #isFollowed: boolean;

  constructor(ports: StreamPorts, name: string, writer: StreamWriter) {
    this.#ports = ports;
    this.#operations = new OperationQueue(ports.storeFailed);
    this.name = name;
    this.#writer = writer === 'elsewhere' ? 'elsewhere' : 'here';
    this.#isFollowed = writer === 'for-another';
  }

  get isWrittenElsewhere(): boolean {
    return this.#writer === 'elsewhere';
  }

  get lastSent(): number {
    return this.#lastSent;
  }

  /**
   * Sends a client every event after `last`, or every event that was not sent to any client yet; then those that
   * follow. A client that did not choose `last` continues with whatever is stored.
   */
  attach(sink: EventSink, last?: number, eventName?: string, isAnywhere = last === undefined): void {
    this.release();
    this.#eventLine = eventLine(eventName);
    this.#lastSent = last ?? this.#lastSent;
    this.#isAnywhere = isAnywhere;
    this.#sink = sink;
    this.#ports.sinks.open.add(sink);
    if (this.#isFollowed || this.#writer !== 'here') this.#ports.publish({ kind: 'resumed', stream: this.name });
    this.#isFollowed = false;
    this.#read(false);
  }

  /** Sends no more events to the client; its response stays open. */
  mute(): void {
    this.#sink = undefined;
  }

  /** A client has disconnected. */
  detach(sink: EventSink): void {
    if (this.#sink === sink) this.#dropSink();
    this.#forgetIfUnused();
  }

  /** The session has ended here: nothing more is written or read. */
  close(): void {
    // A stream that has ended is about to send its last event.
    if (this.#writer === 'none') return;
    this.release();
    this.#writer = 'none';
  }

  /** Disconnects the client, if there is one. */
  release(): void {
    const sink = this.#sink;
    this.#dropSink();
    sink?.end();
  }

  /** A client has resumed the stream at another endpoint, which is notified of events that are written here. */
  resumedElsewhere(): void {
    this.release();
    this.#isFollowed = this.#writer !== 'elsewhere';
    this.#ports.publish({ kind: 'appended', stream: this.name });
    this.#forgetIfUnused();
  }

  event(data: string): void {
    const { logs, key, sinks } = this.#ports;
    if (this.#writer === 'none') return;
    const limits = this.#isFollowed ? awaited(sinks) : sinks;
    this.#operations.run(
      () => logs.append(key, this.name, data, limits),
      (n) => n !== undefined && this.#stored(n, data),
      () => this.#sendWithoutId(data),
    );
  }

  pause(retryMs: number): void {
    if (this.#isFollowed) this.#ports.publish({ kind: 'paused', stream: this.name, retryMs });
    const disconnect = (): void => {
      // A client that got no event has no id to resume with, and stays connected.
      if (this.#sink === undefined || this.#lastSent === 0) return;
      this.#write(`retry: ${retryMs}\n\n`);
      this.release();
      this.#forgetIfUnused();
    };
    // The store may still be storing the first event.
    if (this.#lastSent === 0) this.#operations.run(() => {}, disconnect);
    else disconnect();
  }

  /** Ends the stream; clients can still resume it to read the rest. */
  end(): void {
    const { logs, key } = this.#ports;
    if (this.#writer === 'none') return;
    this.#writer = 'none';
    const finish = (): void => {
      if (this.#isFollowed) this.#ports.publish({ kind: 'appended', stream: this.name });
      this.release();
      this.#forgetIfUnused();
    };
    this.#operations.run(() => logs.end(key, this.name), finish, finish);
  }

  /** Sends the client the events that it has not got yet. */
  catchUp(): void {
    if (this.#sink !== undefined) this.#read(true);
  }

  /** `mayBeSlow`: whether to disconnect a client that is too slow. Not for its first read: the stored events are limited. */
  #read(mayBeSlow: boolean): void {
    const { logs, key } = this.#ports;
    this.#operations.run(
      () => logs.readAfter(key, this.name, this.#lastSent),
      (found) => this.#sendAll(found, mayBeSlow),
    );
  }

  #sendAll(found: StoredEvents | undefined, mayBeSlow: boolean): void {
    if (found === undefined) return this.#logLost(mayBeSlow);
    if (found.from > this.#lastSent) this.#skip(found.from);
    for (const { n, data } of found.events) if (n === this.#lastSent + 1) this.#send(n, data, mayBeSlow);
    if (!found.ended) return;
    this.release();
    this.#forgetIfUnused();
  }

  /** There is no log, or it ends before the last event that the client got: the store has lost it, unless nothing was sent yet. */
  #logLost(mayBeSlow: boolean): void {
    if (this.#lastSent === 0) return;
    if (!this.#isAnywhere) {
      this.#warnOfLoss();
      this.release();
      return this.#forgetIfUnused();
    }
    this.#lastSent = 0;
    this.#read(mayBeSlow);
  }

  /** Some events that the client has not got are no longer stored: it continues with the stored ones. */
  #skip(from: number): void {
    if (!this.#isAnywhere) this.#warnOfLoss();
    this.#lastSent = from;
  }

  #warnOfLoss(): void {
    if (this.#sink !== undefined) this.#ports.sinks.warn(eventsLost());
  }

  #stored(n: number, data: string): void {
    // The store has lost its events and counts from 1 again.
    if (n <= this.#written) this.#lastSent = n - 1;
    this.#written = n;
    if (n === this.#lastSent + 1) this.#send(n, data, true);
    else if (n > this.#lastSent) this.catchUp();
    if (this.#isFollowed) this.#ports.publish({ kind: 'appended', stream: this.name });
  }

  #send(n: number, data: string, mayBeSlow: boolean): void {
    if (this.#sink === undefined) return;
    const text = this.#eventLine + formatWithId(this.name, n, data);
    if (mayBeSlow) this.#write(text);
    else this.#sink.write(text);
    if (this.#sink !== undefined) this.#lastSent = n;
  }

  /** An event that could not be stored is sent once, to the client that reads now. */
  #sendWithoutId(data: string): void {
    if (data !== '') this.#write(this.#eventLine + formatEvent({ data }));
  }

  #write(text: string): void {
    if (this.#sink !== undefined && !writeTo(this.#sink, text, this.#ports.sinks)) this.#sink = undefined;
  }

  #dropSink(): void {
    if (this.#sink !== undefined) this.#ports.sinks.open.delete(this.#sink);
    this.#sink = undefined;
  }

  #forgetIfUnused(): void {
    if (this.#sink === undefined && (this.#writer === 'elsewhere' || this.#writer === 'none')) this.#ports.forget(this);
  }
}

const awaited = ({ maxStreamChars, maxSessionChars, maxTotalStoredChars, maxStreams }: EventLogLimits) =>
  ({ maxStreamChars, maxSessionChars, maxTotalStoredChars, maxStreams, isAwaited: true }) satisfies EventLogLimits;

/** A client that is disconnected for this reason and reconnects for the rest is refused for the same reason. */
const eventsLost = (): TenonError =>
  new TenonError('store-failed', 'A client missed events of a stream: they are no longer stored.', {
    hint: 'Raise limits.maxStreamChars, limits.maxSessionChars or limits.maxTotalStoredChars.',
  });
