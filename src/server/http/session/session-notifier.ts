/** Sends one session the messages that belong to no call: from this endpoint or another, on the one connection that receives them. */
import { runInBackground } from '../../../lib/values/maybe-promise.ts';
import type { RecordFields } from '../../../store/session-store.ts';
import type { Store } from '../../../store/store.ts';
import type { EventSink } from '../message.ts';
import type { EventSinks } from '../reply/event-output.ts';
import type { Changes } from './nodes/change-relay.ts';
import type { NodeBus, StreamMessage } from './nodes/node-bus.ts';
import { claimFields, type NotifierClaim, nextClaim, outranks } from './nodes/notifier-claim.ts';
import { keyOf } from './session-ids.ts';
import { storeFailed } from './session-record.ts';
import { Listeners } from './streams/listeners.ts';
import type { Stream } from './streams/stream.ts';
import type { ReadFrom } from './streams/stream-ports.ts';

/** The name of the stream for messages that belong to no call: the same at every endpoint. */
export const serverStreamName = '0';

/** What the notifiers of one endpoint share. */
export interface NotifierHost extends EventSinks {
  readonly store: Store;
  /** Absent if no other endpoint uses the store. */
  readonly nodeBus: NodeBus | undefined;
  /** The changes of all nodes. */
  readonly changes: Changes | undefined;
  readonly maxStreams: number;
}

export class SessionNotifier {
  readonly #host: NotifierHost;
  readonly #id: string;
  /** The latest claim that is known here. */
  #claimed: NotifierClaim;
  #listeners: Listeners | undefined;
  /** Whether the last listener of the session was here: the record has what others have sent. */
  #knowsLastSent = false;
  /** Whether the session may not have got all changes: then it gets them from the log when a client listens. */
  isBehind = false;
  /** Changes that could not be stored so far. */
  unstored = 0;

  constructor(host: NotifierHost, id: string, claimed: NotifierClaim) {
    this.#host = host;
    this.#id = id;
    this.#claimed = claimed;
  }

  // Computed each time: there are many sessions, and most never need it.
  get #key(): string {
    return keyOf(this.#id);
  }

  get claimed(): NotifierClaim {
    return this.#claimed;
  }

  /** Whether it is this endpoint that notifies the session. */
  /** Whether a client reads what is sent here. */
  get isReceiving(): boolean {
    return this.#listeners?.isReceiving === true;
  }

  get isHere(): boolean {
    return this.#claimed.node === (this.#host.nodeBus?.node ?? '');
  }

  /** Makes this endpoint the one that notifies the session. */
  claim(): void {
    const { nodeBus } = this.#host;
    if (this.isHere || nodeBus === undefined) return;
    this.#claimed = nextClaim(this.#claimed, nodeBus.node);
    this.isBehind = true;
    this.#storeClaim();
  }

  /** Makes this endpoint the one that notifies the session, and notifies the one that did so before. */
  takeOver(stream: Stream | undefined): void {
    this.claim();
    stream?.writtenHere();
    const isUnread = this.#listeners?.isReceiving !== true;
    // They were silent for a client of the other endpoint.
    if (isUnread) this.#listeners?.reconnectSilent();
    const { nodeBus } = this.#host;
    nodeBus?.publish(this.#key, { kind: 'resumed', stream: serverStreamName, claim: this.#claimed, isUnread });
  }

  /** This endpoint closes: another one that holds the session notifies it from now on. */
  async release(stream: Stream | undefined): Promise<void> {
    const { store, nodeBus } = this.#host;
    const isReceiving = this.#listeners?.isReceiving === true;
    await stream?.stored();
    if (!this.isHere || nodeBus === undefined) return;
    const place = this.#placeOf(isReceiving ? stream : undefined);
    this.#claimed = nextClaim(this.#claimed, '');
    await store.sessions.update(this.#key, { ...place, ...claimFields(this.#claimed) });
    nodeBus.publish(this.#key, { kind: 'released', stream: serverStreamName, claim: this.#claimed });
  }

  /** Makes all clients that listen here reconnect, which they may do at another endpoint. */
  disconnect(): void {
    this.#listeners?.reconnectAll();
  }

  /** The event after which a client without `Last-Event-ID` reads: the last that is known to be sent to any client. */
  async lastSent(): Promise<{ readonly last?: number }> {
    const { store, nodeBus } = this.#host;
    if (this.#knowsLastSent || nodeBus === undefined) return {};
    const fields = await store.sessions.read(this.#key);
    return { last: Number(fields?.lastSent ?? 0) };
  }

  addListener(stream: Stream, sink: EventSink, ...from: ReadFrom): void {
    this.#listeners ??= new Listeners(this.#host, this.#host.maxStreams);
    this.#listeners.add(stream, sink, ...from);
    this.#knowsLastSent = true;
  }

  /** A client has disconnected. The next one, at any endpoint, continues after the last event sent. */
  removeListener(stream: Stream, sink: EventSink): void {
    const { store, nodeBus } = this.#host;
    if (this.#listeners?.remove(sink) !== true) return;
    this.#listeners.reconnectSilent();
    if (nodeBus === undefined || !this.isHere) return;
    runInBackground(async () => {
      await stream.stored();
      if (this.isHere) await store.sessions.update(this.#key, this.#placeOf(stream));
      nodeBus.publish(this.#key, { kind: 'left', stream: serverStreamName });
    }, warningOf(this.#host));
  }

  /**
   * A message about the stream from another endpoint. Silent listeners wait while a client receives the stream at
   * another endpoint, as they do for one here. False if this endpoint goes on to notify the session.
   */
  onMessage(message: StreamMessage, stream: Stream | undefined): boolean {
    if (message.kind === 'left') this.#listeners?.reconnectSilent();
    if (message.kind !== 'resumed' && message.kind !== 'released') return true;
    const { claim = nextClaim(this.#claimed, '?') } = message;
    if (!outranks(claim, this.#claimed)) {
      // The other endpoint may have overwritten this claim in the record.
      if (this.isHere) this.#storeClaim();
      return false;
    }
    this.#claimed = claim;
    if (message.kind === 'released') {
      this.takeOver(stream);
      return true;
    }
    if (message.isUnread === true && this.#listeners?.isReceiving === true) {
      // It took this endpoint for dead, or took over from one that closed: the client that listens is here.
      this.takeOver(stream);
      return false;
    }
    this.#knowsLastSent = false;
    if (stream !== undefined) this.#listeners?.silence(stream);
    return true;
  }

  close(): void {
    this.#listeners?.close();
  }

  /**
   * Where the next endpoint continues: the last event that was sent to a client, and the last change. Known once the stream
   * is stored: a change that could not be is sent again.
   */
  #placeOf(stream: Stream | undefined): RecordFields {
    const { last } = this.#host.changes ?? {};
    const sent = stream === undefined ? {} : { lastSent: String(stream.lastSent) };
    return this.isBehind || last === undefined ? sent : { ...sent, changed: String(last) };
  }

  #storeClaim(): void {
    const fields = claimFields(this.#claimed);
    runInBackground(() => this.#host.store.sessions.update(this.#key, fields), warningOf(this.#host));
  }
}

const warningOf =
  ({ warn }: NotifierHost) =>
  (cause: unknown): void =>
    warn(storeFailed(cause));
