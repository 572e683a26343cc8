/** A transport over HTTP: messages are sent as requests, and received in responses and streams. */

import { defaultLimits } from '../../jsonrpc/limits.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shownTarget } from '../../lib/text/shown-address.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { createDeferred, type Deferred } from '../../lib/values/deferred.ts';
import type { Revision } from '../../protocol/revision.ts';
import { deliverClosed, deliverFrame, type TransportListener } from '../../transport/transport.ts';
import type { RevisionTransport } from '../connection/revision-transport.ts';
import { ExchangeTransport } from './exchange-transport.ts';
import type { HttpAddress, HttpPort } from './port/port.ts';
import { SessionTransport } from './session-transport.ts';
import type { HttpContext, HttpTransport, UserHeaders } from './transport.ts';

export interface HttpRevisionTransportOptions {
  readonly address: HttpAddress;
  readonly port: HttpPort;
  /** Sent with every request, to this origin only. */
  readonly userHeaders: UserHeaders;
  /** Characters of one message. */
  readonly maxMessageChars?: number | undefined;
  /** Listening requests that may be open at once. Default 100. */
  readonly maxStreams?: number;
  /** The deadlines of the client. */
  readonly deadlines: Deadlines;
  readonly random?: () => number;
}

/**
 * Listening requests over HTTP at once, in the newest protocol version.
 * @limit client
 * @beyond the subscription fails
 * @code queue-full
 */
const mostStreams = 100;

/** Transport and context in one object, since every client has one. */
export class HttpRevisionTransport implements RevisionTransport, HttpContext {
  readonly port: HttpPort;
  readonly deadlines: Deadlines;
  readonly userHeaders: UserHeaders;
  readonly random: () => number;
  readonly #maxMessageChars: number;
  readonly maxStreams: number;
  address: HttpAddress;
  #state: 'idle' | 'open' | 'closed' = 'idle';
  /** Set while it is open. */
  #listener: TransportListener | undefined;
  /** Chosen by the revision; replaced if the server has only HTTP+SSE. */
  #transport: HttpTransport | undefined;
  #usesExchanges: boolean | undefined;
  #respondsTo: RequestId | undefined;
  #finished: Deferred<void> | undefined;

  constructor(options: HttpRevisionTransportOptions) {
    const { maxMessageChars = defaultLimits.maxMessageChars, maxStreams = mostStreams, random = Math.random } = options;
    this.port = options.port;
    this.deadlines = options.deadlines;
    this.userHeaders = options.userHeaders;
    this.random = random;
    this.#maxMessageChars = maxMessageChars;
    this.maxStreams = maxStreams;
    this.address = options.address;
  }

  get state(): 'idle' | 'open' | 'closed' {
    return this.#state;
  }

  /** A UTF-16 code unit has at most three bytes in UTF-8. */
  get maxBytes(): number {
    return this.#maxMessageChars * 3;
  }

  get finished(): Promise<void> {
    this.#finished ??= createDeferred();
    return this.#finished.promise;
  }

  get respondsTo(): RequestId | undefined {
    return this.#respondsTo;
  }

  open(listener: TransportListener): void {
    if (this.#state === 'open') throw new TenonError('already-open', 'This HTTP transport is already open.');
    if (this.#state === 'closed') throw closed('open');
    this.#state = 'open';
    this.#listener = listener;
  }

  deliver(text: string, respondsTo?: RequestId): void {
    if (this.#listener === undefined) return;
    // A text that is too long is not parsed: its id is that of the response it came in.
    if (
      text.length > this.#maxMessageChars &&
      respondsTo !== undefined &&
      !isRequestOrNotification(text) &&
      this.waits(respondsTo)
    )
      return this.failed(respondsTo, tooLong(this.address, text.length, this.#maxMessageChars));
    this.#respondsTo = respondsTo;
    deliverFrame(this.#listener, text);
    this.#respondsTo = undefined;
  }

  warn(error: TenonError): void {
    this.#listener?.onWarning?.(error);
  }

  failed(id: RequestId, error: Error): void {
    this.#listener?.onRequestError?.(id, error);
  }

  waits(id: RequestId): boolean {
    return this.#listener?.isPending?.(id) === true;
  }

  delayed(isDelayed: boolean): void {
    this.#listener?.onDelayed?.(isDelayed);
  }

  missed(): void {
    this.#listener?.onMissedNotifications?.();
  }

  useTransport(transport: HttpTransport): void {
    this.#transport = transport;
  }

  setRevision(revision: Revision): void {
    const { routingHeaders: usesExchanges } = revision.http;
    if (this.#usesExchanges === usesExchanges) return this.#transport?.setRevision(revision);
    this.#usesExchanges = usesExchanges;
    void this.#transport?.close();
    this.#transport = usesExchanges ? new ExchangeTransport(this, revision) : new SessionTransport(this, revision);
  }

  send(frame: string, message?: Message): void {
    if (this.#state === 'closed') throw closed('send on');
    if (this.#transport === undefined) throw noRevision();
    this.#transport.send(frame, message);
  }

  sendBatch(frame: string, ids: readonly RequestId[]): void {
    if (this.#state === 'closed') throw closed('send on');
    if (this.#transport?.sendBatch === undefined) throw noBatches();
    this.#transport.sendBatch(frame, ids);
  }

  abandon(id: RequestId): boolean {
    return this.#transport?.abandon(id) ?? true;
  }

  close(reason?: Error): void {
    if (this.#state === 'closed') return;
    for (const id of this.#transport?.unsentRequests ?? []) this.failed(id, neverSent(reason));
    const listener = this.#listener;
    this.#state = 'closed';
    this.#listener = undefined;
    this.#finished ??= createDeferred();
    const { resolve } = this.#finished;
    const finish = (): void => resolve();
    // A port that fails to close has nothing left to wait for.
    (this.#transport?.close() ?? Promise.resolve()).then(() => this.port.close()).then(finish, finish);
    if (listener !== undefined) queueMicrotask(() => deliverClosed(listener, reason));
  }
}

const closed = (attempt: string): TenonError =>
  new TenonError('connection-closed', `Cannot ${attempt} an HTTP transport that is closed.`, {
    hint: 'Connect again.',
  });

/** Whether a text that is not parsed has a method, by its first keys, and so is no answer. */
const isRequestOrNotification = (text: string): boolean =>
  /^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"]{0,200}"|\d{1,20})\s*,){0,2}\s*"method"\s*:/.test(text.slice(0, 1000));

const tooLong = (address: HttpAddress, characters: number, maxMessageChars: number): TenonError =>
  new TenonError(
    'message-too-large',
    `${shownTarget(address)} answered with a message of ${characters} characters, over the limit of ${maxMessageChars}.`,
    {
      hint: 'Request less at once, or raise limits.maxMessageChars.',
      details: { url: shownTarget(address), characters, maxMessageChars },
    },
  );

const neverSent = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection closed before the request was sent.', {
    details: { sent: false },
    ...(cause !== undefined && { cause }),
  });

const noBatches = (): TenonError =>
  new TenonError('capability-not-supported', 'Batches cannot be sent over HTTP+SSE.', {
    hint: 'Send the requests one by one.',
  });

const noRevision = (): TenonError =>
  new TenonError(
    'invalid-outgoing-message',
    'An HTTP transport must know the protocol version before it sends anything.',
    {
      hint: 'Pass the transport to connect().',
    },
  );
