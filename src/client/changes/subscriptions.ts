/** Subscriptions to changes of a server: streams that are restored on each new connection. */

import type { RequestId } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Notification } from '../../protocol/neutral.ts';
import type { Subscription } from '../api/changes.ts';
import { needForSubscription } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import { serverReplaced } from '../connection/negotiation/rediscovery.ts';
import {
  type AttemptLimits,
  connectionFor,
  isServerReplaced,
  type RetryPorts,
  requestWithRetries,
} from '../reconnect/request-retries.ts';
import { isPermanent } from '../retry/backoff.ts';
import { resolveWithin } from '../retry/resolve-within.ts';
import { type ChangeQueue, changeOf, changesWithin, checkFilter, createChangeQueue, wants } from './changes.ts';
import { type Attachment, type Listener, listen, subscribe } from './listening.ts';

export interface SubscriptionPorts {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** The connection as soon as there is one. */
  waitForConnection: RetryPorts['waitForConnection'];
  pause: RetryPorts['pause'];
  /** Whether the client reconnects. */
  readonly reconnects: boolean;
  /** How long to wait before a closed stream is opened again. */
  waitMs(failures: number, error: Error | undefined): number;
  /** Notifications may have been missed. */
  onMissed(): void;
  warn(error: Error): void;
}

/** One stream of changes, over all connections. */
interface Stream {
  filter: SubscriptionFilter;
  readonly queue: ChangeQueue;
  attachment: Attachment | undefined;
  /** The connection it is opened on; events of any other are ignored. */
  connection: Connection;
  failures: number;
  /** When it was last opened. */
  openedAt: number;
  /** The timer until a closed stream is opened again. */
  wait: Deadline | undefined;
}

/** Errors that another attempt does not fix. 404 is not among them: the server may be restarting. */
const isFinal = (error: Error | undefined): boolean =>
  isPermanent(error) && !(error instanceof TenonError && error.code === 'endpoint-not-found');

/** How long a stream has to stay open before failures are counted from zero again. */
const settleMs = 10_000;

/** How long closing a stream waits for the server. */
const releaseMs = 1000;

export class Subscriptions {
  readonly #streams = new Set<Stream>();
  readonly #listening = new Map<RequestId, Listener>();
  readonly #ports: SubscriptionPorts;
  #closedError: TenonError | undefined;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  async open(filter: SubscriptionFilter, wait: Partial<AttemptLimits> = {}): Promise<Subscription> {
    if (this.#closedError !== undefined) throw this.#closedError;
    checkFilter('subscribe()', filter);
    const stream = await this.#request(wait, (connection, limits) => this.#openStream(connection, filter, limits));
    return changesOf(
      stream,
      () => this.#closeStream(stream),
      async (changed) => {
        checkFilter('update()', changed);
        await this.#request({}, (connection, limits) => this.#update(connection, stream, changed, limits));
      },
    );
  }

  /** Retries on the next connection, as any other call does. */
  async #request<T>(
    limits: Partial<AttemptLimits>,
    send: (connection: Connection, limits: AttemptLimits) => Promise<T>,
  ): Promise<T> {
    const { deadlines, reconnects, timeoutMs: defaultTimeoutMs, waitForConnection, pause } = this.#ports;
    const { timeoutMs = defaultTimeoutMs, signal } = limits;
    if (reconnects) return requestWithRetries({ timeoutMs, signal, waitForConnection, pause }, deadlines, send);
    return send(await connectionFor({ timeoutMs, signal, waitForConnection }, timeoutMs), { timeoutMs, signal });
  }

  async #openStream(connection: Connection, filter: SubscriptionFilter, limits: AttemptLimits): Promise<Stream> {
    needForSubscription(connection.capabilities, filter);
    const queue = createChangeQueue(filter);
    const openedAt = this.#ports.deadlines.now();
    const fresh = { attachment: undefined, failures: 0, wait: undefined };
    const stream: Stream = { filter, queue, connection, openedAt, ...fresh };
    this.#streams.add(stream);
    try {
      stream.attachment = await this.#attach(connection, stream, filter, limits);
    } catch (error) {
      this.#streams.delete(stream);
      throw error;
    }
    return stream;
  }

  async restore(connection: Connection): Promise<void> {
    // Attachments of the old connection do not count: otherwise each stream would rely on the others to subscribe.
    for (const stream of this.#streams) {
      this.#detach(stream);
      stream.connection = connection;
    }
    await Promise.all([...this.#streams].map((stream) => this.#reattach(connection, stream)));
  }

  onNotification({ method, params, subscription }: Notification): void {
    if (method === 'notifications/cancelled') return this.#listening.get(params?.requestId as RequestId)?.onCancelled();
    const change = changeOf(method, params);
    if (subscription !== undefined) {
      const listener = this.#listening.get(subscription);
      if (method === 'notifications/subscriptions/acknowledged')
        return listener?.onAcknowledged(params?.notifications as SubscriptionFilter);
      if (change !== undefined && listener && wants(listener.filter, change)) listener.queue.put(change);
      return;
    }
    if (change === undefined) return;
    for (const { attachment, queue } of this.#streams)
      if (attachment?.isBroadcast && wants(attachment.acknowledged, change)) queue.put(change);
  }

  /** Puts every change that may have been missed into the streams that rely on broadcast notifications. */
  onMissed(): void {
    for (const { attachment, queue } of this.#streams)
      if (attachment?.isBroadcast) for (const change of changesWithin(attachment.acknowledged)) queue.put(change);
  }

  /** There will be no further connection. Readers get an error, unless the user closed the client. */
  close(reason: Error | undefined, isWanted: boolean): void {
    const cause = reason === undefined ? {} : { cause: reason };
    this.#closedError = new TenonError('connection-closed', 'The connection is closed.', cause);
    for (const stream of this.#streams) this.#endStream(stream, isWanted ? undefined : this.#closedError);
  }

  /** Subscribes to the changes of a stream, as the revision defines it. */
  #attach(
    connection: Connection,
    stream: Stream,
    filter: SubscriptionFilter,
    limits: AttemptLimits,
    onResourceRefused?: (error: Error) => void,
  ): Promise<Attachment> {
    const onBroken = (error: Error | undefined): void => this.#attachmentBroken(connection, stream, error);
    const begin = (attachment: Attachment): void => {
      stream.attachment = attachment;
    };
    const attachments = (): Attachment[] => [...this.#streams].flatMap(({ attachment }) => attachment ?? []);
    const { deadlines, timeoutMs } = this.#ports;
    return connection.conversation.revision.client.requests.has('subscriptions/listen')
      ? listen(connection, filter, { listening: this.#listening, queue: stream.queue, onBroken, deadlines, ...limits })
      : subscribe(connection, filter, { attachments, begin, limits, timeoutMs, onResourceRefused });
  }

  /** Removes the attachment of a stream; the caller decides what follows. */
  #detach(stream: Stream): void {
    stream.attachment = undefined;
    if (stream.wait !== undefined) this.#ports.deadlines.cancel(stream.wait);
    stream.wait = undefined;
  }

  #attachmentBroken(connection: Connection, stream: Stream, error: Error | undefined): void {
    const { deadlines, reconnects, waitMs } = this.#ports;
    if (stream.connection !== connection) return;
    this.#detach(stream);
    if (!this.#streams.has(stream)) return stream.queue.end();
    // A server that shuts down ends listening requests without an error, and may come back.
    if (!reconnects || isFinal(error)) return this.#endStream(stream, error);
    // After a reconnect `restore` opens the stream; a stream that ended alone is opened here.
    if (connection.isClosed) return;
    stream.failures = deadlines.now() - stream.openedAt < settleMs ? stream.failures + 1 : 1;
    stream.wait = deadlines.add(waitMs(stream.failures, error), () => {
      stream.wait = undefined;
      if (!connection.isClosed) void this.#reattach(connection, stream);
    });
  }

  async #reattach(connection: Connection, stream: Stream): Promise<void> {
    const { timeoutMs, reconnects, warn } = this.#ports;
    try {
      const attachment = await this.#attach(connection, stream, stream.filter, { timeoutMs, signal: undefined }, warn);
      if (!this.#streams.has(stream) || stream.connection !== connection)
        return await this.#release(connection, attachment);
      stream.attachment = attachment;
      stream.openedAt = this.#ports.deadlines.now();
      this.#ports.onMissed();
      for (const change of changesWithin(attachment.acknowledged)) stream.queue.put(change);
    } catch (error) {
      if (reconnects && (await isServerReplaced(connection, error))) connection.close(serverReplaced(error));
      if ((connection.isClosed && reconnects) || !this.#streams.has(stream)) return;
      warn(error as Error);
      this.#attachmentBroken(connection, stream, error as Error);
    }
  }

  #endStream(stream: Stream, error?: Error): void {
    this.#streams.delete(stream);
    this.#detach(stream);
    stream.queue.end(error);
  }

  async #closeStream(stream: Stream): Promise<void> {
    if (!this.#streams.has(stream)) return;
    const { attachment, connection } = stream;
    this.#endStream(stream);
    await this.#release(connection, attachment);
  }

  /** Closes a stream. Errors of the server are reported and do not delay it. */
  async #release(connection: Connection, attachment: Attachment | undefined): Promise<void> {
    if (attachment === undefined || connection.isClosed) return;
    const { deadlines, warn } = this.#ports;
    const released = attachment.release().catch((error: Error) => connection.isClosed || warn(error));
    await resolveWithin(undefined, released, deadlines, releaseMs);
  }

  /** The new attachment is open before the old one is released, so that no change is lost. */
  async #update(
    connection: Connection,
    stream: Stream,
    filter: SubscriptionFilter,
    limits: AttemptLimits,
  ): Promise<void> {
    const before = stream.attachment;
    if (!this.#streams.has(stream)) throw streamClosed();
    needForSubscription(connection.capabilities, filter);
    let attachment: Attachment;
    try {
      attachment = await this.#attach(connection, stream, filter, limits);
    } catch (error) {
      if (stream.connection === connection) stream.attachment = before;
      throw error;
    }
    const isOpen = this.#streams.has(stream);
    if (isOpen) {
      this.#detach(stream);
      stream.filter = filter;
      stream.attachment = attachment;
    } else await this.#release(connection, attachment);
    await this.#release(connection, before);
    if (!isOpen) throw streamClosed();
  }
}

const streamClosed = (): TenonError =>
  new TenonError('connection-closed', 'The subscription is closed.', { hint: 'Open another with subscribe().' });

function changesOf(
  stream: Stream,
  close: () => Promise<void>,
  update: (filter: SubscriptionFilter) => Promise<void>,
): Subscription {
  let acknowledged: SubscriptionFilter = {};
  return {
    get acknowledged() {
      acknowledged = stream.attachment?.acknowledged ?? acknowledged;
      return acknowledged;
    },
    update,
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => ({
      next: () => stream.queue.next(),
      async return() {
        await close();
        return { done: true, value: undefined };
      },
    }),
  };
}
