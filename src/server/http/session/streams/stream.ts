/** One stream of a session: every event is stored and sent to the client that reads the stream, which can resume after it. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { EventLogLimits, LastEvents, StoredEvents } from '../../../../store/event-store.ts';
import { formatEvent } from '../../../../transport/sse.ts';
import type { EventSink } from '../../message.ts';
import { type EventOutput, writeTo } from '../../reply/event-output.ts';
import { eventLine, formatWithId } from './event-ids.ts';
import { OperationQueue } from './operation-queue.ts';
import { endIncomplete, endLater, endLost } from './stream-end.ts';
import { readNote, type StreamNote } from './stream-note.ts';
import { awaited, type StreamPorts, type StreamRequests, type StreamWriter } from './stream-ports.ts';
import { eventNotStored, eventsLost, resultDropped } from './stream-warnings.ts';
import { StreamWrites } from './stream-writes.ts';

export class Stream implements EventOutput {
  readonly name: string;
  readonly #ports: StreamPorts;
  readonly #operations: OperationQueue;
  /** The last event that was sent to a client. */
  #lastSent = 0;
  /** Whether the client did not specify after which event it reads. */
  #isAnywhere = false;
  #sink: EventSink | undefined;
  /** Names the events for a client that wants them named. */
  #eventLine = '';
  /** `refused`: this endpoint wrote the stream until another one closed it. */
  #writer: 'here' | 'elsewhere' | 'none' | 'refused';
  /** Whether what is written here is read at another endpoint. */
  #isFollowed: boolean;
  /** What its first event is stored with. */
  readonly #note: string | undefined;
  /** The endpoint that writes the stream that is read here. */
  #writtenBy: StreamNote | undefined;
  readonly #writes: StreamWrites;
  /** The client that gets the events that are not stored: it got all before them. */
  #live: EventSink | undefined;

  constructor(ports: StreamPorts, name: string, writer: StreamWriter, note?: string, requests?: StreamRequests) {
    this.#ports = ports;
    this.#operations = new OperationQueue(ports.storeFailed);
    this.name = name;
    this.#writer = writer === 'elsewhere' ? 'elsewhere' : 'here';
    this.#isFollowed = writer === 'for-another';
    this.#note = note;
    this.#writes = new StreamWrites(ports, this.#operations, requests, (unanswered) => this.#endIncomplete(unanswered));
  }

  get isWrittenElsewhere(): boolean {
    return this.#writer === 'elsewhere';
  }

  /** The node that writes what is read here; absent if it is this one, or not known. */
  get writerElsewhere(): string | undefined {
    return this.#writer === 'elsewhere' && this.#sink !== undefined ? this.#writtenBy?.node : undefined;
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

  /** Messages about it may have been lost: a client may read it at another endpoint, and there may be more events for one here. */
  missed(): void {
    if (this.#writer === 'elsewhere') this.#ports.publish({ kind: 'resumed', stream: this.name });
    else this.#isFollowed = true;
    this.#ports.publish({ kind: 'appended', stream: this.name });
    this.catchUp();
  }

  /** No client reads what is written here at another endpoint any more. */
  writtenHere(): void {
    this.#isFollowed = false;
  }

  event(data: string): void {
    const { limits } = this.#ports;
    this.#append(data, this.#isFollowed ? awaited(limits) : limits, () => this.#sendWithoutId(data));
  }

  /**
   * An event about a change; if it has a number, another node may have written it already. If it is not stored, a client
   * that reads now gets it at once, but may lose it with its connection: `notStored` is to send it again.
   */
  changeEvent(data: string, change: number | undefined, notStored: () => void): void {
    const limits = {
      ...this.#ports.limits,
      isAwaited: this.#isFollowed,
      ...(change !== undefined && { change }),
    };
    this.#append(data, limits, () => {
      this.#sendWithoutId(data);
      notStored();
    });
  }

  /** The number of the last change that it has an event about. */
  lastChange(): Promise<number | undefined> {
    const { logs, key } = this.#ports;
    return new Promise((resolve, reject) => {
      const failed = (): void => reject(new TenonError('store-failed', 'The last change of a stream is not known.'));
      const read = () => logs.readAfter(key, this.name, this.#lastSent);
      this.#operations.run(read, (found) => resolve(found?.change), failed);
    });
  }

  #append(data: string, limits: EventLogLimits, notStored: () => void): void {
    const { logs, key } = this.#ports;
    if (this.#writer === 'none' || this.#writer === 'refused') return;
    const note = this.#writes.last === 0 ? this.#note : undefined;
    const store = (at?: number) => logs.append(key, this.name, data, limits, note, at);
    const started = this.#writes.start(store);
    if (this.#writes.isAnswer(started)) return this.#appended(started, data);
    this.#writes.add(started, store, data.length, (n) => this.#appended(n, data), notStored);
  }

  #appended(n: number | undefined, data: string): void {
    if (n === undefined) this.#closedElsewhere();
    else if (n === 0) this.catchUp();
    else this.#stored(n, data);
  }

  /** A client that has all events so far gets the rest, without ids; others get an error. */
  #endIncomplete(requests: StreamRequests): void {
    if (this.#lastSent >= this.#writes.last) this.#live = this.#sink;
    this.#ports.sinks.warn(eventNotStored(requests));
    endIncomplete(this.#ports, this.name, requests, () => this.catchUp());
  }

  pause(retryMs: number): void {
    if (this.#writes.isIncomplete) return;
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
  end(last?: string): void {
    const { logs, key } = this.#ports;
    if (this.#writer === 'refused') return this.#reportDropped(last);
    if (this.#writer === 'none') return;
    this.#writer = 'none';
    const limits = this.#isFollowed ? awaited(this.#ports.limits) : this.#ports.limits;
    const rest: LastEvents | undefined = last === undefined ? undefined : { events: [last], limits };
    const store = (at?: number) => logs.end(key, this.name, rest, at);
    const started = this.#writes.start(store);
    if (this.#writes.isAnswer(started)) return this.#ended(started, last);
    this.#writes.addEnd(
      started,
      store,
      (n) => this.#ended(n, last),
      () => {
        this.#sendWithoutId(last ?? '');
        this.#finish();
        if (!this.#writes.isIncomplete) endLater(this.#ports, this.name, rest);
      },
    );
  }

  /** The node that writes the stream is dead: its client gets an error for each request that is not answered, and the stream ends. */
  writerDied(revision: Revision): void {
    const note = this.#writtenBy;
    if (note === undefined || this.#writer !== 'elsewhere') return;
    this.#operations.run(
      () => endLost(this.#ports, this.name, note.ids, revision),
      () => {
        this.#ports.publish({ kind: 'appended', stream: this.name });
        this.catchUp();
      },
    );
  }

  /** Resolves when what was written so far is stored; absent if it is. */
  stored(): Promise<void> | undefined {
    return this.#operations.pending;
  }

  /** Sends the client the events that it has not got yet. */
  catchUp(): void {
    if (this.#sink !== undefined && this.#sink !== this.#live) this.#read(true);
  }

  /** `mayBeSlow`: whether to disconnect a client that is too slow. Not for its first read: the stored events are limited. */
  #read(mayBeSlow: boolean): void {
    const { logs, key, later } = this.#ports;
    const sink = this.#sink;
    this.#operations.run(
      () => logs.readAfter(key, this.name, this.#lastSent),
      (found) => this.#sendAll(found, mayBeSlow),
      () => later(() => this.#sink === sink && this.#read(mayBeSlow)),
    );
  }

  #sendAll(found: StoredEvents | undefined, mayBeSlow: boolean): void {
    if (this.#live !== undefined && this.#sink === this.#live) return;
    if (found === undefined) return this.#logLost(mayBeSlow);
    this.#writtenBy ??= readNote(found.note);
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
    if (n <= this.#writes.last) this.#lastSent = n - 1;
    this.#writes.last = n;
    if (n === this.#lastSent + 1) this.#send(n, data, true);
    else if (n > this.#lastSent) this.catchUp();
    if (this.#isFollowed) this.#ports.publish({ kind: 'appended', stream: this.name });
  }

  /** Another node took this one for dead and has closed the stream: what is written from now on is dropped. */
  #closedElsewhere(): void {
    this.#writer = 'refused';
    this.release();
    this.#ports.forget(this);
  }

  #ended(n: number | undefined, last: string | undefined): void {
    if (n !== undefined && last !== undefined) this.#stored(n, last);
    else if (n !== undefined && this.#isFollowed) this.#ports.publish({ kind: 'appended', stream: this.name });
    else if (n === undefined) this.#reportDropped(last);
    // A client that is behind is reading the rest at the moment.
    if (this.#sink !== undefined && n !== undefined && this.#lastSent < n)
      this.#operations.run(
        () => {},
        () => this.#finish(),
      );
    else this.#finish();
  }

  #finish(): void {
    this.release();
    this.#forgetIfUnused();
  }

  #reportDropped(last: string | undefined): void {
    if (last !== undefined) this.#ports.sinks.warn(resultDropped(readNote(this.#note)));
  }

  #send(n: number, data: string, mayBeSlow: boolean): void {
    if (this.#sink === undefined) return;
    const text = this.#eventLine + formatWithId(this.name, n, data);
    if (mayBeSlow) this.#write(text);
    else this.#sink.write(text);
    if (this.#sink !== undefined) this.#lastSent = n;
  }

  /**
   * An event that could not be stored is sent once, to the client that reads now. The store may have it nevertheless, and
   * would repeat it: an empty id clears the place from which the client would resume a stream that is incomplete.
   */
  #sendWithoutId(data: string): void {
    const { isIncomplete } = this.#writes;
    if (data === '' || (isIncomplete && this.#sink !== this.#live)) return;
    this.#write(this.#eventLine + formatEvent(isIncomplete && this.#lastSent > 0 ? { id: '', data } : { data }));
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
