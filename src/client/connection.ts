/** One connection of a client: a peer, what the server asks and tells on it, and the conversation held over it. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../jsonrpc/message.ts';
import { createPeer, type Peer, type PeerOptions } from '../jsonrpc/peer.ts';
import type { LoggingLevel } from '../protocol/generated/types/records.ts';
import type { Fields, News, Refusal } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Channel } from '../transport/channel.ts';
import type { AnswerTime } from './answering.ts';
import type { Answers } from './answers.ts';
import { Questions } from './questions.ts';
import type { SpokenChannel } from './spoken-channel.ts';

export interface LogEntry {
  readonly level: LoggingLevel;
  readonly logger: string | undefined;
  readonly data: unknown;
}

/** Never cancelled: a server that does not answer them is not ready for anything else. */
const openings: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

const excerpt = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200)}…`);

/** What this side did wrong is no fault of the server. */
const isOwn = (error: Error): boolean =>
  error instanceof TenonError && (error.code === 'listener-failed' || error.code === 'invalid-outgoing');

/** No server opens a connection: such a request is what was sent to it, and a refusal would come back as its answer. */
function isEcho(peer: Peer, { id, method }: RequestMessage): boolean {
  if (!openings.has(method) || !peer.waits(id)) return false;
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
  /** The connection is over. */
  closed(reason: Error | undefined): void;
  fault(error: Error): void;
  /** Something came, whatever it was. */
  readonly heard?: (() => void) | undefined;
}

export interface Connection {
  readonly peer: Peer;
  /** Settles which revision the server's own messages are read by. */
  speak(revision: Revision): void;
  close(reason?: Error): void;
}

export function openConnection(
  channel: SpokenChannel,
  answers: Answers,
  ports: ConnectionPorts,
  options: Pick<PeerOptions, 'strict' | 'limits' | 'counts'> & AnswerTime,
): Connection {
  let spoken: Revision | undefined;
  const fault = (error: Error): void => {
    ports.fault(error);
    // In strict mode what is wrong ends the connection, so that nobody goes on with half of what was said.
    if (options.strict && !isOwn(error)) channel.close(error);
  };
  const peer = createPeer(
    { send: (frame, message) => channel.send(frame, message), request, notification, abandoned, fault },
    // Servers print; an error about that would be one more message they do not expect.
    { ...options, answersNoise: false, batches: () => spoken?.batches === true },
  );
  const questions = new Questions(peer, answers, options, ports.fault);

  function request(message: RequestMessage): void {
    const { id, method } = message;
    if (method === 'ping') return peer.answer(id, {});
    if (isEcho(peer, message)) return peer.fail(id, echoed(method));
    const read = spoken?.wire.readRequest(spoken, 'server', method, message.params);
    if (spoken === undefined || read === undefined)
      return peer.refuse(id, { code: -32601, message: `Method not found: ${method}` });
    if (!read.ok) {
      const { reason, message: text } = read.refusal;
      peer.refuse(id, { code: reason === 'invalid-params' ? -32602 : -32601, message: text });
      return unreadable(message, read.refusal);
    }
    questions.put(spoken, id, read.value, channel.respondsTo);
  }

  /** What the server says beside the protocol is dropped, and told at once: in strict mode nothing may come after it. */
  function unreadable(message: RequestMessage | NotificationMessage, { message: text }: Refusal): void {
    fault(new TenonError('invalid-message', `${text}, in ${excerpt(JSON.stringify(message))}`));
  }

  function notification(message: NotificationMessage): void {
    if (spoken === undefined) return;
    const { method, params } = message;
    const read = spoken.wire.readNotification(spoken, 'server', method, params);
    if (!read.ok) return unreadable(message, read.refusal);
    if (method === 'notifications/cancelled') questions.cancel(read.value.params?.requestId as RequestId);
    ports.told(read.value);
  }

  function abandoned(requestId: RequestId, method: string, reason: TenonError): void {
    if (channel.abandon?.(requestId)) return;
    if (openings.has(method) || spoken === undefined) return;
    // What listens ends with the connection, and may have been taken back long since.
    if (method === 'subscriptions/listen' && reason.code === 'connection-closed') return;
    const written = spoken.wire.writeNotification(spoken, 'client', {
      method: 'notifications/cancelled',
      params: { requestId, reason: reason.code },
    });
    // A channel that has just been closed has nobody left to tell.
    if (written.ok && channel.state !== 'closed') peer.notify('notifications/cancelled', written.value as Fields);
  }

  channel.open({
    frame: hearing(peer.receive, ports.heard),
    closed(reason) {
      peer.close(reason);
      questions.end();
      ports.closed(reason);
    },
    fault,
    failed: peer.fail,
    waits: peer.waits,
  });

  function speak(revision: Revision): void {
    spoken = revision;
    channel.speak?.(revision);
  }
  return { peer, speak, close: (reason) => leave(peer, channel, reason) };
}

/** Where nobody wants to know that something came, knowing costs nothing. */
function hearing(receive: (text: string) => void, heard: (() => void) | undefined): (text: string) => void {
  if (heard === undefined) return receive;
  return (text) => {
    heard();
    receive(text);
  };
}

/** A server that hears what nobody waits for any more can end it, and leave. */
function leave(peer: Peer, channel: Channel, reason: Error | undefined): void {
  try {
    if (reason === undefined && channel.state === 'open') peer.giveUpAll();
  } catch {
    // What could not be told is settled by the end of the channel.
  }
  channel.close(reason);
}
