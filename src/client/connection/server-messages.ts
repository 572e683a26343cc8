/** Messages of the server on one connection: requests, notifications, invalid messages, and the close. */

import { createPeer } from '../../jsonrpc/create-peer.ts';
import type { Message, NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { Peer, PeerOptions, PeerPorts } from '../../jsonrpc/peer.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { excerptsOf } from '../../lib/text/excerpt.ts';
import { shown } from '../../lib/text/shown.ts';
import type { Fields } from '../../lib/values/is.ts';
import { sentReason } from '../../protocol/cancellation.ts';
import type { Notification, Refusal } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AnswerTiming } from '../answers/answering.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import { ServerRequests } from '../answers/server-requests.ts';
import type { RunningTasks } from '../answers/tasks/running-tasks.ts';
import type { RevisionTransport } from './revision-transport.ts';

/** Never cancelled: a server that does not answer them is not ready for anything else. */
const openings: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Errors of this side are no errors of the server. */
const isOwn = ({ code }: TenonError): boolean => code === 'callback-failed' || code === 'invalid-outgoing-message';

/** Whether it is printed text, and not a broken message. */
const isPrinted = ({ code, details }: TenonError): boolean =>
  code === 'invalid-json' || code === 'invalid-utf8' || details.isForeign === true;
const printedHint =
  'Only messages are allowed here: a server must print to its standard error; without "strict" other text is ignored.';
const brokenHint = 'Fix the server, or turn "strict" off: then the message is dropped and the connection continues.';

/** The error that closes a strict connection, with a hint if it has none. `details.strict` says that it is permanent. */
function strictFailure(error: TenonError): TenonError {
  const { code, details, cause } = error;
  const isLineOfBytes = code === 'invalid-utf8' && details.bytes !== undefined;
  const ownHint = isLineOfBytes ? undefined : error.hint;
  return new TenonError(code, isLineOfBytes ? notUtf8(details) : sentence(messageWithoutHint(error)), {
    hint: ownHint ?? (isPrinted(error) ? printedHint : brokenHint),
    details: { ...details, strict: true },
    ...(cause !== undefined && { cause }),
  });
}

/** Some messages end with the text of the server; the hint follows. */
const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Transports report such a line as skipped, which is not the case in strict mode. */
const notUtf8 = ({ bytes, line }: TenonError['details']): string =>
  `A line of ${bytes} bytes is not UTF-8${line === undefined ? '' : `: ${cutLine(String(line))}`}.`;

/** Our transports have cut it; one of the user's may not. */
const cutLine = (line: string): string => (line.length > 250 ? excerptsOf(line).line : line);

/** Servers never send these requests: it is an echo of our own, and an error would come back as its answer. */
function isEcho(peer: Peer, { id, method }: RequestMessage): boolean {
  if (!openings.has(method) || !peer.isPending(id)) return false;
  peer.forget(id);
  return true;
}

const echoed = (method: string): TenonError =>
  new TenonError('invalid-message', `The server sent ${method} back unchanged.`, {
    hint: 'Check that it is an MCP server: a program such as cat returns what it reads.',
    details: { method },
  });

export interface ServerMessagesPorts {
  /** Receives notifications of the server, in neutral form. */
  onNotification(notification: Notification): void;
  /** Called when notifications may have been lost. */
  onMissed(): void;
  /** Called when the connection has closed. */
  onClose(reason: Error | undefined): void;
  warn(error: Error): void;
  /** Called when a request waits for credentials, and when it no longer does. */
  onDelayed(isDelayed: boolean): void;
  /** Called for everything that arrives. */
  onMessage?(): void;
  /** The server requests that run as tasks; absent if the client runs none. */
  readonly runningTasks: RunningTasks | undefined;
  /** The handlers that calls brought along. */
  readonly callAnswers: ReadonlyMap<RequestId, ClientHandlers>;
}

export type ServerMessagesOptions = Pick<PeerOptions, 'strict' | 'limits' | 'counts' | 'authorization'> & AnswerTiming;

/** A class, so that many connections share its methods. */
export class ServerMessages implements PeerPorts {
  readonly peer: Peer;
  readonly #transport: RevisionTransport;
  readonly #answers: ClientHandlers;
  readonly #ports: ServerMessagesPorts;
  readonly #time: AnswerTiming;
  readonly #strict: boolean;
  #revision: Revision | undefined;
  #isClosed = false;
  #brokenBy: Error | undefined;
  /** Created on first use: many servers send no requests. */
  #serverRequests: ServerRequests | undefined;

  constructor(
    transport: RevisionTransport,
    answers: ClientHandlers,
    ports: ServerMessagesPorts,
    options: ServerMessagesOptions,
  ) {
    this.#transport = transport;
    this.#answers = answers;
    this.#ports = ports;
    this.#time = options;
    this.#strict = options.strict === true;
    // Servers may print text; they do not expect an error about it.
    const awaitsValidAnswer = (method: string): boolean => !this.#strict && method !== 'server/discover';
    this.peer = createPeer(this, { ...options, answersInvalidText: false, awaitsValidAnswer });
    // Plain functions: a wrapping transport may copy them into its own listener.
    transport.open({
      onMessage: (text) => {
        this.#ports.onMessage?.();
        this.peer.receive(text);
      },
      onClose: (reason) => this.#closed(reason),
      onWarning: (error) => (error.code === 'invalid-utf8' ? this.peer.unreadable(error) : this.onWarning(error)),
      onRequestError: (id, error) => this.peer.fail(id, error),
      isPending: (id) => this.peer.isPending(id),
      onDelayed: (isDelayed) => {
        if (isDelayed) this.peer.pause();
        else this.peer.resume();
        this.#ports.onDelayed(isDelayed);
      },
      onMissedNotifications: () => this.#ports.onMissed(),
    });
  }

  /** The error that closed a strict connection. */
  get brokenBy(): Error | undefined {
    return this.#brokenBy;
  }

  /** The call that the message belongs to which is received now: by its transport, else the only one that waits. A subscription logs nothing. */
  get currentCall(): RequestId | undefined {
    if ('respondsTo' in this.#transport) return this.#transport.respondsTo;
    const [only, another] = this.peer.pendingIds((method) => method !== 'subscriptions/listen');
    return another === undefined ? only : undefined;
  }

  /** Sets the revision by which messages of the server are read. */
  setRevision(revision: Revision): void {
    this.#revision = revision;
    this.#transport.setRevision?.(revision);
  }

  close(reason?: Error): void {
    try {
      // Cancels all requests, so that the server can stop them.
      if (reason === undefined && this.#transport.state === 'open') this.peer.abandonAll();
    } catch {
      // Closing the transport rejects them anyway.
    }
    this.#closeTransport(reason);
  }

  /** A custom transport that throws in close() counts as closed. */
  #closeTransport(reason: Error | undefined): void {
    const failed = (cause: unknown): void => {
      this.#ports.warn(new TenonError('callback-failed', 'The transport threw in close().', { cause }));
      queueMicrotask(() => this.#closed(reason));
    };
    try {
      const closing: unknown = this.#transport.close(reason);
      if (closing instanceof Promise) closing.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  #closed(reason: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.peer.close(reason);
    this.#serverRequests?.end();
    this.#ports.onClose(reason);
  }

  send(frame: string, message?: Message): void {
    this.#transport.send(frame, message);
  }

  sendBatch(frame: string, ids: readonly RequestId[]): void {
    const transport = this.#transport;
    if (transport.sendBatch === undefined) transport.send(frame);
    else transport.sendBatch(frame, ids);
  }

  batches(): boolean {
    return this.#revision?.batches === true;
  }

  onWarning(error: TenonError): void {
    if (!this.#strict || isOwn(error)) return this.#ports.warn(error);
    // In strict mode an invalid message closes the connection.
    const reason = strictFailure(error);
    this.#brokenBy ??= reason;
    this.#ports.warn(reason);
    this.#closeTransport(reason);
  }

  request(message: RequestMessage): void {
    const { peer } = this;
    const { id, method } = message;
    if (method === 'ping') return peer.answer(id, {});
    if (isEcho(peer, message)) return peer.fail(id, echoed(method));
    const revision = this.#revision;
    const read = revision?.wire.readRequest(revision, 'server', method, message.params);
    if (revision === undefined || read === undefined)
      return peer.refuse(id, { code: -32601, message: `Method not found: ${shown(method)}` });
    if (!read.ok) return this.#refuse(message, read.refusal);
    this.#serverRequests ??= new ServerRequests(peer, this.#answers, this.#time, this.#ports);
    this.#serverRequests.receive(revision, id, read.value, this.#transport.respondsTo);
  }

  /** Answers first: in strict mode the report closes the connection. */
  #refuse(message: RequestMessage, refusal: Refusal): void {
    const answered = (text: string, data: unknown): void => {
      const code = refusal.reason === 'invalid-params' ? -32602 : -32601;
      this.peer.refuse(message.id, { code, message: text, ...(data !== undefined && { data }) });
      this.#reportUnreadable(message, refusal);
    };
    if (refusal.reason !== 'invalid-params') return answered(refusal.message, refusal.data);
    void refusal.explain().then(
      ({ text, data }) => answered(text, data ?? refusal.data),
      () => answered(refusal.message, refusal.data),
    );
  }

  notification(message: NotificationMessage): void {
    const revision = this.#revision;
    if (revision === undefined) return;
    const { method, params } = message;
    const read = revision.wire.readNotification(revision, 'server', method, params);
    if (!read.ok) return this.#reportUnreadable(message, read.refusal);
    if (method === 'notifications/cancelled') this.#cancelled(read.value.params);
    this.#ports.onNotification(read.value);
  }

  #cancelled({ requestId, reason }: Fields = {}): void {
    this.#serverRequests?.cancel(requestId as RequestId, reason);
  }

  abandoned(requestId: RequestId, method: string, reason: TenonError): void {
    const transport = this.#transport;
    const revision = this.#revision;
    if (transport.abandon?.(requestId)) return;
    if (openings.has(method) || revision === undefined) return;
    // Open listen requests end with the connection anyway.
    if (method === 'subscriptions/listen' && reason.code === 'connection-closed') return;
    const written = revision.wire.writeNotification(revision, 'client', {
      method: 'notifications/cancelled',
      params: { requestId, reason: sentReason(reason) },
    });
    // A closed transport cannot send.
    if (written.ok && transport.state !== 'closed')
      this.peer.notify('notifications/cancelled', written.value as Fields);
  }

  /** A result that does not fit the protocol. Its call is rejected; in strict mode the connection closes too. */
  invalidResult(error: TenonError, method: string): void {
    this.peer.counts.invalid++;
    // A server that does not know discovery may answer anything; then the handshake is tried.
    if (this.#strict && method !== 'server/discover') this.onWarning(error);
  }

  /** Counts and reports a message that does not fit the protocol. In strict mode it closes the connection. */
  #reportUnreadable(message: RequestMessage | NotificationMessage, { message: text }: Refusal): void {
    const { line } = excerptsOf(JSON.stringify(message));
    this.peer.counts.invalid++;
    this.onWarning(new TenonError('invalid-message', `${text}, in ${line}.`, { details: { line } }));
  }
}
