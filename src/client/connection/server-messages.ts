/** One connection of a client: a peer, what the server asks and tells on it, and the conversation held over it. */

import { createPeer } from '../../jsonrpc/create-peer.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import { shownLine } from '../../jsonrpc/frame.ts';
import type { Message, NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { Peer, PeerOptions, PeerPorts } from '../../jsonrpc/peer.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Fields, News, Refusal } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AnswerTime } from '../answers/answering.ts';
import type { Answers } from '../answers/handlers.ts';
import { Questions } from '../answers/server-requests.ts';
import type { SpokenChannel } from './revision-channel.ts';

/** Never cancelled: a server that does not answer them is not ready for anything else. */
const openings: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** What this side did wrong is no fault of the server. */
const isOwn = (error: Error): boolean =>
  error instanceof TenonError && (error.code === 'listener-failed' || error.code === 'invalid-outgoing');

/** Whether it is what programs print for people, and not a message that went wrong. */
const isPrinted = ({ code, details }: TenonError): boolean =>
  code === 'not-json' || code === 'invalid-utf8' || details.isForeign === true;
const printedHint =
  'Only messages may come here: what a server prints has to go to its standard error; leave `strict` out to have it passed over.';
const brokenHint = 'Mend the server, or leave `strict` out: then the connection goes on.';

/** What arrived and ends a strict connection, with what to do about it. What has a hint of its own keeps it. */
function endingBy(error: Error): Error {
  if (!(error instanceof TenonError)) return error;
  const { code, message, details, cause } = error;
  const isLineOfBytes = code === 'invalid-utf8' && details.bytes !== undefined;
  if (!isLineOfBytes && error.hint !== undefined) return error;
  return new TenonError(code, isLineOfBytes ? notUtf8(details) : sentence(message), {
    hint: isPrinted(error) ? printedHint : brokenHint,
    details,
    ...(cause !== undefined && { cause }),
  });
}

/** What was printed stands at the end of some texts as it came, and the hint follows. */
const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Channels say of such a line that it was passed over, which does not hold here. */
const notUtf8 = ({ bytes, line }: TenonError['details']): string =>
  `A line of ${bytes} bytes is not UTF-8${line === undefined ? '' : `: ${shownLine(String(line))}`}.`;

/** No server opens a connection: such a request is what was sent to it, and a refusal would come back as its answer. */
function isEcho(peer: Peer, { id, method }: RequestMessage): boolean {
  if (!openings.has(method) || !peer.isPending(id)) return false;
  peer.forget(id);
  return true;
}

const echoed = (method: string): TenonError =>
  new TenonError('invalid-message', `What was sent came back as it was: ${method}.`, {
    hint: 'Check that a server for MCP is there: a program such as cat gives back what it reads.',
    details: { method },
  });

export interface ConnectionPorts {
  /** Hears what the server tells unasked, in neutral form. */
  told(news: News): void;
  /** The server may have told something that did not come. */
  missed(): void;
  /** The connection is over. */
  closed(reason: Error | undefined): void;
  fault(error: Error): void;
  /** Something came, whatever it was. */
  heard?(): void;
}

export type ConnectionOptions = Pick<PeerOptions, 'strict' | 'limits' | 'counts'> & AnswerTime;

/** A class, as all that lives as long as a connection: many of them share its methods. */
export class Connection implements PeerPorts {
  readonly peer: Peer;
  readonly #channel: SpokenChannel;
  readonly #answers: Answers;
  readonly #ports: ConnectionPorts;
  readonly #time: AnswerTime;
  readonly #strict: boolean;
  #spoken: Revision | undefined;
  #isClosed = false;
  #brokenBy: Error | undefined;
  /** Made when the server first asks: many never do. */
  #questions: Questions | undefined;

  constructor(channel: SpokenChannel, answers: Answers, ports: ConnectionPorts, options: ConnectionOptions) {
    this.#channel = channel;
    this.#answers = answers;
    this.#ports = ports;
    this.#time = options;
    this.#strict = options.strict === true;
    // Servers print; an error about that would be one more message they do not expect.
    this.peer = createPeer(this, { ...options, answersNoise: false });
    // Plain functions: whoever stands in between may copy them into a listener of its own.
    channel.open({
      frame: (text) => {
        this.#ports.heard?.();
        this.peer.receive(text);
      },
      closed: (reason) => this.#closed(reason),
      fault: (error) => (error.code === 'invalid-utf8' ? this.peer.unreadable(error) : this.fault(error)),
      failed: (id, error) => this.peer.fail(id, error),
      waits: (id) => this.peer.isPending(id),
      missed: () => this.#ports.missed(),
    });
  }

  /** What arrived and ended a strict connection. */
  get brokenBy(): Error | undefined {
    return this.#brokenBy;
  }

  /** Settles which revision the server's own messages are read by. */
  speak(revision: Revision): void {
    this.#spoken = revision;
    this.#channel.speak?.(revision);
  }

  close(reason?: Error): void {
    try {
      // A server that hears what nobody waits for any more can end it, and leave.
      if (reason === undefined && this.#channel.state === 'open') this.peer.abandonAll();
    } catch {
      // What could not be told is settled by the end of the channel.
    }
    this.#leave(reason);
  }

  /** A channel of a user's that throws is over all the same, and nobody waits for it to say so. */
  #leave(reason: Error | undefined): void {
    const failed = (cause: unknown): void => {
      this.#ports.fault(new TenonError('listener-failed', 'The channel threw in close().', { cause }));
      queueMicrotask(() => this.#closed(reason));
    };
    try {
      const closing: unknown = this.#channel.close(reason);
      if (closing instanceof Promise) closing.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  #closed(reason: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.peer.close(reason);
    this.#questions?.end();
    this.#ports.closed(reason);
  }

  send(frame: string, message?: Message): void {
    this.#channel.send(frame, message);
  }

  batches(): boolean {
    return this.#spoken?.batches === true;
  }

  fault(error: Error): void {
    if (!this.#strict || isOwn(error)) return this.#ports.fault(error);
    // In strict mode what is wrong ends the connection, so that nobody goes on with half of what was said.
    const reason = endingBy(error);
    this.#brokenBy ??= reason;
    this.#ports.fault(reason);
    this.#leave(reason);
  }

  request(message: RequestMessage): void {
    const { peer } = this;
    const { id, method } = message;
    if (method === 'ping') return peer.answer(id, {});
    if (isEcho(peer, message)) return peer.fail(id, echoed(method));
    const spoken = this.#spoken;
    const read = spoken?.wire.readRequest(spoken, 'server', method, message.params);
    if (spoken === undefined || read === undefined)
      return peer.refuse(id, { code: -32601, message: `Method not found: ${method}` });
    if (!read.ok) {
      const { reason, message: text } = read.refusal;
      peer.refuse(id, { code: reason === 'invalid-params' ? -32602 : -32601, message: text });
      return this.#unreadable(message, read.refusal);
    }
    this.#questions ??= new Questions(peer, this.#answers, this.#time, this.#ports);
    this.#questions.put(spoken, id, read.value, this.#channel.respondsTo);
  }

  notification(message: NotificationMessage): void {
    const spoken = this.#spoken;
    if (spoken === undefined) return;
    const { method, params } = message;
    const read = spoken.wire.readNotification(spoken, 'server', method, params);
    if (!read.ok) return this.#unreadable(message, read.refusal);
    if (method === 'notifications/cancelled') this.#questions?.cancel(read.value.params?.requestId as RequestId);
    this.#ports.told(read.value);
  }

  abandoned(requestId: RequestId, method: string, reason: TenonError): void {
    const channel = this.#channel;
    const spoken = this.#spoken;
    if (channel.abandon?.(requestId)) return;
    if (openings.has(method) || spoken === undefined) return;
    // What listens ends with the connection, and may have been taken back long since.
    if (method === 'subscriptions/listen' && reason.code === 'connection-closed') return;
    const written = spoken.wire.writeNotification(spoken, 'client', {
      method: 'notifications/cancelled',
      params: { requestId, reason: reason.code },
    });
    // A channel that has just been closed has nobody left to tell.
    if (written.ok && channel.state !== 'closed') this.peer.notify('notifications/cancelled', written.value as Fields);
  }

  /**
   * What the server says beside the protocol is dropped, and told at once: in strict mode nothing may come after it.
   * A method that is not known here is no such thing, since the protocol lets both sides grow: it is told, and that is all.
   */
  #unreadable(message: RequestMessage | NotificationMessage, { reason, message: text }: Refusal): void {
    const line = shownLine(JSON.stringify(message));
    const error = new TenonError('invalid-message', `${text}, in ${line}.`, { details: { line } });
    if (reason === 'method-not-found') this.#ports.fault(error);
    else this.fault(error);
  }
}
