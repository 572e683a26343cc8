/** The streams of one session: what is sent on each is logged, given to whoever reads it, and can be taken up again. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import type { EventLogLimits, EventLogs, KeptEvents } from '../../../store/event-store.ts';
import { asked, type Soon } from '../../../store/maybe-promise.ts';
import { formatEvent } from '../../../transport/sse.ts';
import type { EventSink } from '../message.ts';
import { type Keeper, type Outlet, writeTo } from '../reply/event-output.ts';
import type { StreamMessage } from './nodes/node-bus.ts';
import { storeFailed } from './session-record.ts';

/** What streams need of their session. */
export interface StreamHome {
  /** What the logs of the session are kept under. */
  readonly key: string;
  readonly logs: EventLogs;
  readonly keeper: Keeper & EventLogLimits;
  /** A name that no other stream of the session has, wherever it begins. */
  newName(): string;
  /** Tells the processes that hold the session as well; nothing where there are none. */
  tell(message: StreamMessage): void;
  /** A stream that nobody here writes on or reads any more. */
  forget(stream: Stream): void;
}

/** Where a reader goes on, what its events are called, and whether it has not said itself where it left. */
export type AttachedAt = [last: number | undefined, name: string | undefined, isAnywhere: boolean];

export class Stream implements Outlet {
  readonly name: string;
  readonly #home: StreamHome;
  /** The last event that a reader was given. */
  #given = 0;
  /** The last event that was written here. */
  #written = 0;
  /** Whether the reader has not said where it left. */
  #isAnywhere = false;
  #sink: EventSink | undefined;
  /** Names the events for a reader that wants them named. */
  #eventLine = '';
  /** Who writes on it: this process, another one, or nobody any more. */
  #writer: 'here' | 'elsewhere' | 'nobody';
  /** Whether what is written here is read elsewhere. */
  #isFollowed: boolean;
  /** Settles when all that the store was asked for has been dealt with; absent where nothing waits. */
  #waiting: Promise<void> | undefined;

  constructor(home: StreamHome, name: string, writer: 'here' | 'for-another' | 'elsewhere') {
    this.#home = home;
    this.name = name;
    this.#writer = writer === 'elsewhere' ? 'elsewhere' : 'here';
    this.#isFollowed = writer === 'for-another';
  }

  get isWrittenElsewhere(): boolean {
    return this.#writer === 'elsewhere';
  }

  get given(): number {
    return this.#given;
  }

  /** Sends everything after event `last` to a reader, or what nobody was given yet; then whatever comes. Who is anywhere has not said itself where it left, and goes on with whatever is kept. */
  attach(sink: EventSink, last?: number, name?: string, isAnywhere = last === undefined): void {
    this.release();
    this.#eventLine = name === undefined ? '' : `event: ${name}\n`;
    this.#given = last ?? this.#given;
    this.#isAnywhere = isAnywhere;
    this.#sink = sink;
    this.#home.keeper.open.add(sink);
    if (this.#isFollowed || this.#writer !== 'here') this.#home.tell({ kind: 'taken', stream: this.name });
    this.#isFollowed = false;
    this.#read(false);
  }

  /** Lets the reader be: its response stays open, and nothing more is written there. */
  part(): void {
    this.#sink = undefined;
  }

  /** The reader has gone. */
  lose(sink: EventSink): void {
    if (this.#sink === sink) this.#detach();
    this.#leave();
  }

  /** The session is over here: nothing more is written or read. */
  close(): void {
    // One that has ended is about to give its last event.
    if (this.#writer === 'nobody') return;
    this.release();
    this.#writer = 'nobody';
  }

  /** Lets the reader go, whoever it is. */
  release(): void {
    const sink = this.#sink;
    this.#detach();
    sink?.end();
  }

  /** A reader has taken the stream up elsewhere, and is to be told there of what is written here. */
  taken(): void {
    this.release();
    this.#isFollowed = this.#writer !== 'elsewhere';
    this.#home.tell({ kind: 'grown', stream: this.name });
    this.#leave();
  }

  event(data: string): void {
    const { logs, key, keeper } = this.#home;
    if (this.#writer === 'nobody') return;
    const { maxKept, maxSessionKept, maxStreams } = keeper;
    const limits = this.#isFollowed ? { maxKept, maxSessionKept, maxStreams, isAwaited: true } : keeper;
    this.#inOrder(
      () => logs.append(key, this.name, data, limits),
      (n) => this.#kept(n, data),
      () => this.#giveUnkept(data),
    );
  }

  pause(retryMs: number): void {
    if (this.#isFollowed) this.#home.tell({ kind: 'paused', stream: this.name, retryMs });
    const leave = (): void => {
      // Who was given no event has none to come back with, and stays.
      if (this.#sink === undefined || this.#given === 0) return;
      this.#write(`retry: ${retryMs}\n\n`);
      this.release();
      this.#leave();
    };
    // The first event may still be on its way to the store.
    if (this.#given === 0) this.#inOrder(() => {}, leave);
    else leave();
  }

  /** Nothing more will be sent; what was can still be asked for. */
  end(): void {
    const { logs, key } = this.#home;
    if (this.#writer === 'nobody') return;
    this.#writer = 'nobody';
    const over = (): void => {
      if (this.#isFollowed) this.#home.tell({ kind: 'grown', stream: this.name });
      this.release();
      this.#leave();
    };
    this.#inOrder(() => logs.end(key, this.name), over, over);
  }

  /** Gives the reader what it was not given yet. */
  catchUp(): void {
    if (this.#sink !== undefined) this.#read(true);
  }

  /** What is kept is bounded already: a reader who comes for it is not slow, one that stays may be. */
  #read(mayBeSlow: boolean): void {
    const { logs, key } = this.#home;
    this.#inOrder(
      () => logs.after(key, this.name, this.#given),
      (found) => this.#giveAll(found, mayBeSlow),
    );
  }

  #giveAll(found: KeptEvents | undefined, mayBeSlow: boolean): void {
    if (found === undefined) return this.#lost(mayBeSlow);
    if (found.from > this.#given) this.#skip(found.from);
    for (const { n, data } of found.events) if (n === this.#given + 1) this.#give(n, data, mayBeSlow);
    if (!found.ended) return;
    this.release();
    this.#leave();
  }

  /** There is no such log, or it has not come as far as the reader: the store has lost it, unless nothing was sent yet. */
  #lost(mayBeSlow: boolean): void {
    if (this.#given === 0) return;
    if (!this.#isAnywhere) {
      this.#tellGone();
      this.release();
      return this.#leave();
    }
    this.#given = 0;
    this.#read(mayBeSlow);
  }

  /** Part of what the reader was not given is not kept any more: it goes on with what is. */
  #skip(from: number): void {
    if (!this.#isAnywhere) this.#tellGone();
    this.#given = from;
  }

  #tellGone(): void {
    if (this.#sink !== undefined) this.#home.keeper.fault(gone());
  }

  #kept(n: number, data: string): void {
    // The store has lost what it kept, and counts anew.
    if (n <= this.#written) this.#given = n - 1;
    this.#written = n;
    if (n === this.#given + 1) this.#give(n, data, true);
    else if (n > this.#given) this.catchUp();
    if (this.#isFollowed) this.#home.tell({ kind: 'grown', stream: this.name });
  }

  #give(n: number, data: string, mayBeSlow: boolean): void {
    if (this.#sink === undefined) return;
    const text = this.#eventLine + formatKept(this.name, n, data);
    if (mayBeSlow) this.#write(text);
    else this.#sink.write(text);
    if (this.#sink !== undefined) this.#given = n;
  }

  /** What the store does not take can be had once, by whoever reads now: better than not at all. */
  #giveUnkept(data: string): void {
    if (data !== '') this.#write(this.#eventLine + formatEvent({ data }));
  }

  #write(text: string): void {
    if (this.#sink !== undefined && !writeTo(this.#sink, text, this.#home.keeper)) this.#sink = undefined;
  }

  #detach(): void {
    if (this.#sink !== undefined) this.#home.keeper.open.delete(this.#sink);
    this.#sink = undefined;
  }

  #leave(): void {
    if (this.#sink === undefined && (this.#writer === 'elsewhere' || this.#writer === 'nobody'))
      this.#home.forget(this);
  }

  /** Goes on with what the store gives, or without it, after all that it was asked for before. */
  #inOrder<T>(ask: () => Soon<T>, run: (value: T) => void, otherwise?: () => void): void {
    const soon = asked(ask);
    if (this.#waiting === undefined && !(soon instanceof Promise)) return run(soon);
    const before = this.#waiting;
    const pass = (): void => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
    const failed = (cause: unknown): void => this.#home.keeper.fault(storeFailed(cause));
    const waiting: Promise<void> = Promise.allSettled([soon, before])
      .then(([given]) => {
        if (given.status === 'fulfilled') return run(given.value);
        failed(given.reason);
        return otherwise?.();
      })
      .catch(failed)
      .then(pass);
    this.#waiting = waiting;
  }
}

export class Streams {
  readonly #home: StreamHome;
  readonly #streams = new Map<string, Stream>();
  #closed = false;

  constructor(home: Omit<StreamHome, 'forget'>) {
    this.#home = { ...home, forget: (stream) => void this.#streams.delete(stream.name) };
  }

  /** How many are read here and written elsewhere. */
  get followed(): number {
    let count = 0;
    for (const stream of this.#streams.values()) if (stream.isWrittenElsewhere) count++;
    return count;
  }

  /** A stream of its own, for somebody here to write on. */
  begin(): Stream {
    return this.#add(this.#home.newName(), 'here');
  }

  /** The stream of a name, if somebody here writes on it or reads it. */
  get(name: string): Stream | undefined {
    return this.#streams.get(name);
  }

  open(name: string, writer: 'here' | 'for-another' | 'elsewhere'): Stream {
    return this.#streams.get(name) ?? this.#add(name, writer);
  }

  /** Lets all readers go, and lets nothing more be written. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  #add(name: string, writer: 'here' | 'for-another' | 'elsewhere'): Stream {
    const stream = new Stream(this.#home, name, writer);
    if (this.#closed) stream.close();
    else this.#streams.set(name, stream);
    return stream;
  }
}

/** A reader that is let go of for this, and comes back for the rest, is refused with the same reason. */
const gone = (): TenonError =>
  new TenonError('store-failed', 'A reader of a stream was not given all of it: part is not kept any more.', {
    hint: 'Raise maxKept and maxSessionKept.',
  });

/** An event with the id by which its reader goes on after it. */
export const formatKept = (stream: string, n: number, data: string): string =>
  formatEvent({ id: `${stream}.${n}`, data });

/** The stream that an event belongs to, and the place of the event in it. */
export function placeOf(eventId: string): { readonly name: string; readonly last: number } | undefined {
  const [, name = '', n] = /^([0-9a-z]{1,24})\.(\d{1,15})$/.exec(eventId) ?? [];
  return n === undefined ? undefined : { name, last: Number(n) };
}
