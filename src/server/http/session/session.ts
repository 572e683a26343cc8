/** One session over HTTP: each call is a POST of its own, and messages that belong to no call are sent on a stream. */
import { type RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { GuardedCaller } from '../../../ports/guard.ts';
import { cancelledBy } from '../../../protocol/cancellation.ts';
import type { InputRequest, Notification } from '../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../protocol/progress.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { EventLogLimits } from '../../../store/event-store.ts';
import { createSession, type Session } from '../../lifecycle/session.ts';
import { CallsInFlight } from '../../ports/calls-in-flight.ts';
import type { Change } from '../../ports/change-notifications.ts';
import type { CallInFlight, Link, SessionUpdate, TaskRequest } from '../../ports/link.ts';
import type { CallerShare } from '../admission/gate/caller-share.ts';
import type { EndpointLife } from '../endpoint-life.ts';
import type { EventSink, HttpRequest } from '../message.ts';
import { closeErrorOf } from '../reply/close-errors.ts';
import type { EndpointLog } from '../reporting/endpoint-log.ts';
import type { Changes } from './nodes/change-relay.ts';
import type { Liveness } from './nodes/liveness.ts';
import type { SessionMessage } from './nodes/node-bus.ts';
import type { NotifierClaim } from './nodes/notifier-claim.ts';
import { changesFor } from './nodes/session-changes.ts';
import type { StorePoll } from './nodes/store-poll.ts';
import type { StoredRevocations } from './nodes/stored-revocations.ts';
import { keyOf } from './session-ids.ts';
import { type NotifierHost, SessionNotifier, serverStreamName } from './session-notifier.ts';
import { fieldsOf } from './session-record.ts';
import { type RequestsHost, SessionRequests } from './session-requests.ts';
import type { Stream } from './streams/stream.ts';
import type { ReadFrom } from './streams/stream-ports.ts';
import { Streams } from './streams/streams.ts';

/** What the sessions of one endpoint share. */
export interface SessionHost extends RequestsHost, NotifierHost {
  now(): number;
  /** How many events are stored. */
  readonly logLimits: EventLogLimits;
  /** Streams begun so far. */
  streams: number;
  /** POSTs that have not been answered. */
  answering: number;
  readonly life: EndpointLife;
  /** How long one operation of the store may take. */
  readonly storeMs: number;
  readonly log: EndpointLog | undefined;
  /** Absent if no other endpoint uses the store, or the store does not know which live. */
  readonly liveness: Liveness | undefined;
  /** The changes of all nodes that share the store; absent without others, and until the endpoint listens to them. */
  changes: Changes | undefined;
  /** Absent if no other endpoint uses the store. */
  readonly revocations: StoredRevocations | undefined;
}

export class HttpSession implements Link {
  readonly id: string;
  /** Whose session it is: its calls take slots of this caller. */
  readonly caller: CallerShare;
  readonly host: SessionHost;
  readonly session: Session;
  #calls: CallsInFlight | undefined;
  /** When a client last used it. */
  lastUsed: number;
  /** Whether it had a request or a listener since the handshake. */
  isUsed = false;
  /** Whether its client does not know it: it listens without a session. */
  isListenerOnly = false;
  /** Whether it has what its principal asked for in requests of its own, so that it outlives its stream. */
  holdsState = false;
  /** POSTs that have not been answered, and streams that are read. */
  busy = 0;
  #requests: SessionRequests | undefined;
  #streams: Streams | undefined;
  #listener: GuardedCaller | undefined;
  /** The change that is being sent, by its number. */
  #change: { readonly number: number | undefined } | undefined;
  #changes: StorePoll | undefined;
  /** Updates that are being stored, and all that were begun to be. */
  #storing = 0;
  #updates = 0;
  /** Bytes that count for its caller; none once it has closed. */
  #held: number | undefined = 0;

  /** When its id expires. */
  readonly expires: number;
  /** When its record expires, as this endpoint has last set it. */
  storedUntil: number;
  /** Sends messages that belong to no call, here or at another endpoint. */
  readonly notifier: SessionNotifier;

  constructor(host: SessionHost, id: string, caller: CallerShare, expires: number, claimed: NotifierClaim) {
    this.host = host;
    this.id = id;
    this.caller = caller;
    this.expires = expires;
    this.notifier = new SessionNotifier(host, id, claimed);
    this.lastUsed = host.now();
    this.storedUntil = this.lastUsed;
    this.session = createSession(host.serving, this);
  }

  get sessionId(): string {
    return this.id;
  }

  get sessionKey(): string {
    return this.key;
  }

  /** The key of the principal that the session belongs to. */
  get owner(): string | undefined {
    return this.caller.owner;
  }

  /** Each request of a session has its own. */
  get principal(): undefined {
    return undefined;
  }

  /** Who used it last, on a server with a guard: this caller receives what belongs to no request. */
  get listener(): GuardedCaller | undefined {
    return this.#listener;
  }

  /** A request of its client has arrived. */
  receivedFrom({ principal, clientAddress: address }: Pick<HttpRequest, 'principal' | 'clientAddress'>): void {
    if (this.host.serving.guard !== undefined) this.#listener = { principal, address };
  }

  /** The key of its record and its events in the store. */
  get key(): string {
    return keyOf(this.id);
  }

  /** Whether its client can receive a ping here. One that listens without a session cannot answer. */
  get canBePinged(): boolean {
    const hasPing = this.session.revision()?.server.requests.has('ping') === true;
    return hasPing && !this.isListenerOnly && this.notifier.isHere && this.notifier.isReceiving;
  }

  /** Created with the first call: most sessions are idle most of the time. */
  get calls(): CallsInFlight {
    this.#calls ??= new CallsInFlight(this.host.serving.maxConcurrentCalls, this.caller);
    return this.#calls;
  }

  /** Whether a request of this id has not been answered. */
  isAnswering(id: RequestId): boolean {
    return this.#calls?.find(id) !== undefined;
  }

  /** Cancels a call for its client: its response ends without an answer. False if no such call runs here. */
  cancel(id: RequestId, reason: TenonError): boolean {
    const reply = this.#calls?.find(id)?.reply;
    if (this.#calls?.cancel(id, reason) !== true) return false;
    reply?.abandon();
    return true;
  }

  /** Requests of the server to its client. */
  get requests(): SessionRequests {
    this.#requests ??= new SessionRequests(this);
    return this.#requests;
  }

  get streams(): Streams {
    this.#streams ??= streamsOf(this);
    return this.#streams;
  }

  /** The stream for messages that belong to no call; they are stored while no client reads it. */
  get serverStream(): Stream {
    return this.streams.open(serverStreamName, this.notifier.isHere ? 'here' : 'for-another');
  }

  /** A client reads a stream. */
  attachReader(stream: Stream, sink: EventSink, ...from: ReadFrom): void {
    if (stream.name !== serverStreamName) return stream.attach(sink, ...from);
    this.notifier.addListener(stream, sink, ...from);
    this.#catchUp();
  }

  /** A client has stopped reading a stream. */
  detachReader(stream: Stream, sink: EventSink): void {
    stream.detach(sink);
    if (stream.name === serverStreamName) this.notifier.removeListener(stream, sink);
  }

  hold(bytes: number): RpcError | undefined {
    if (this.#held === undefined) return undefined;
    // What another endpoint counted is not given back here.
    const more = Math.max(bytes, -this.#held);
    const refused = more > 0 ? this.caller.takeBytes(more) : void this.caller.releaseBytes(-more);
    if (refused === undefined) this.#held += more;
    return refused;
  }

  async remember(update: SessionUpdate): Promise<void> {
    const { store, nodeBus } = this.host;
    this.#storing++;
    this.#updates++;
    try {
      await store.sessions.update(this.key, fieldsOf(update, this.host.changes?.last));
    } finally {
      this.#storing--;
    }
    if (update.kind === 'watch') this.session.apply({ kind: 'initialized' });
    // Published afterwards: an endpoint that reads the record on this message finds the update there. If it is not
    // published, the client sends its request again: the endpoint that notifies the session would not know of it.
    await nodeBus?.announce(this.key, { kind: 'updated' });
  }

  get storing(): { readonly now: number; readonly begun: number } {
    return { now: this.#storing, begun: this.#updates };
  }

  /** Whether a client uses it now, or is to answer a request. */
  get isInUse(): boolean {
    return this.busy > 0 || this.#requests?.isWaiting === true;
  }

  /** Messages about its streams may have been lost. */
  missedStreams(): void {
    this.#streams?.missed();
  }

  /** Receives a message of another endpoint about this session. */
  onNodeMessage(message: Exclude<SessionMessage, { kind: 'ended' | 'updated' }>): void {
    if (message.kind === 'cancelled') return void this.cancel(message.id, cancelledBy('client', message.reason));
    if (message.kind === 'answered' || message.kind === 'progress') return this.requests.onNodeMessage(message);
    const stream = this.#streams?.get(message.stream);
    if (message.kind === 'released' && !this.host.life.isOpen) return;
    if (message.stream === serverStreamName) {
      const isLeft = this.notifier.onMessage(message, stream);
      // This endpoint may be the one that notifies the session from now on.
      this.#catchUp();
      if (!isLeft) return;
    }
    // The stream ended here before this message arrived: the other endpoint has not been notified.
    if (message.kind === 'resumed' && stream === undefined)
      this.host.nodeBus?.publish(this.key, { kind: 'appended', stream: message.stream });
    if (message.kind === 'resumed') stream?.resumedElsewhere();
    if (message.kind === 'appended') stream?.catchUp();
    if (message.kind === 'paused') stream?.pause(message.retryMs);
  }

  /** The nodes that write what is read here, or notify the session. */
  *followedNodes(): Iterable<string> {
    if (!this.notifier.isHere) yield this.notifier.claimed.node;
    for (const { writerElsewhere } of this.#streams?.followed() ?? [])
      if (writerElsewhere !== undefined) yield writerElsewhere;
  }

  /** Takes over from nodes that are dead, and reads what other nodes have written: a message about it may be lost. */
  onReport(dead: ReadonlySet<string>): void {
    if (dead.has(this.notifier.claimed.node)) {
      this.notifier.takeOver(this.#streams?.get(serverStreamName));
      this.#catchUp();
    }
    const revision = this.session.revision();
    for (const stream of this.#streams?.followed() ?? [])
      if (revision !== undefined && dead.has(stream.writerElsewhere ?? '')) stream.writerDied(revision);
      else stream.catchUp();
  }

  /** The endpoint closes, others go on: clients that read here what could be read there reconnect. */
  disconnectReaders(): void {
    this.notifier.disconnect();
    for (const stream of this.#streams?.followed() ?? []) stream.pause(retryMs);
  }

  /** The endpoint closes: another one notifies the session. */
  release(): Promise<void> {
    return this.notifier.release(this.#streams?.get(serverStreamName));
  }

  /** Resolves when what was sent on its streams is stored. */
  stored(): Promise<unknown> | undefined {
    return this.#streams?.stored();
  }

  /** A change of this node or another. A session that is behind gets it from the log of changes. */
  receiveChange(change: Change, number: number | undefined): void {
    if (this.notifier.isHere && (number === undefined || !this.notifier.isBehind)) this.sendChange(change, number);
  }

  sendChange(change: Change, number: number | undefined): void {
    // Several messages together: none of them stands for the change.
    this.#change = { number: change.kind === 'all' ? undefined : number };
    this.session.changed(change);
    this.#change = undefined;
  }

  #catchUp(): void {
    if (!this.notifier.isBehind || !this.notifier.isHere) return;
    this.#changes ??= changesFor(this);
    this.#changes.now();
  }

  settle(): void {}

  notify(revision: Revision, notification: Notification): void {
    const written = revision.wire.writeNotification(revision, 'server', notification);
    if (!written.ok) return;
    const text = JSON.stringify({ jsonrpc: '2.0', method: notification.method, params: written.value });
    if (this.#change === undefined) this.serverStream.event(text);
    else this.serverStream.changeEvent(text, this.#change.number, () => this.#changeNotStored());
  }

  /** It is sent again from the log of changes once it can be stored. */
  #changeNotStored(): void {
    this.notifier.isBehind = true;
    this.notifier.unstored++;
    this.#changes ??= changesFor(this);
    this.#changes.wait();
  }

  sendRequest(
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
    task?: TaskRequest,
  ): Promise<unknown> {
    return this.requests.send(this.serverStream, revision, request, signal, onProgress, task);
  }

  taskChanged(notification: Notification): void {
    this.requests.taskChanged(notification);
  }

  progressed(notification: Notification): Promise<void> {
    return this.requests.progressed(notification);
  }

  begin(id: RequestId, call: CallInFlight): RpcError | undefined {
    return this.calls.begin(id, call);
  }

  end(id: RequestId, call: CallInFlight): boolean {
    return this.calls.end(id, call);
  }

  /** Cancels and answers all running calls, and ends all streams. */
  close(reason: string): void {
    const [error, status] = closeErrorOf(reason);
    for (const id of this.#calls?.ids() ?? []) {
      const reply = this.#calls?.find(id)?.reply;
      this.#calls?.cancel(id, reason);
      reply?.reject(id, error, status);
    }
    this.#requests?.close(new TenonError('connection-closed', `The session has ended: ${reason}.`));
    this.#streams?.close();
    this.notifier.close();
    this.caller.releaseBytes(this.#held ?? 0);
    this.#held = undefined;
    this.host.log?.sessionEnded(this.id, reason);
    this.session.end();
    const { endings } = this.host.serving;
    if (endings.isFollowed) endings.ended(this.key);
  }
}

/** How long the end of a stream waits after the store has failed, and a client that is to reconnect. */
const retryMs = 1000;

function streamsOf(session: HttpSession): Streams {
  const { key, host, caller } = session;
  const { store, nodeBus } = host;
  const prefix = nodeBus?.node ?? '';
  return new Streams({
    key,
    logs: store.events,
    sinks: host,
    limits: { ...host.logLimits, share: caller.name, isAnonymous: caller.owner === undefined },
    newName: () => prefix + (++host.streams).toString(36),
    later: (run) => void host.serving.deadlines.add(retryMs, () => host.life.isClosed || run(), false),
    after: (ms, run) => void host.serving.deadlines.add(ms, run),
    now: () => host.serving.deadlines.now(),
    retryForMs: host.storeMs,
    publish: (message) => {
      const isClaimed = message.kind === 'resumed' && message.stream === serverStreamName;
      nodeBus?.publish(key, isClaimed ? { ...message, claim: session.notifier.claimed } : message);
    },
  });
}
