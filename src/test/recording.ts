/** A transport that records its messages. */
import type { RevisionChannel } from '../client/connection/revision-channel.ts';

/** One message as it crossed the wire. */
export interface RecordedMessage {
  /** The side that sent it. */
  readonly from: 'client' | 'server';
  /** The parsed JSON-RPC message. */
  readonly message: unknown;
}

/** The transport of the client. Every message that it sends or receives is added to `messages`. */
export function recordingChannel(channel: RevisionChannel, messages: RecordedMessage[]): RevisionChannel {
  const record = (from: RecordedMessage['from'], text: string): void =>
    void messages.push({ from, message: JSON.parse(text) });
  return {
    get state() {
      return channel.state;
    },
    open(listener) {
      channel.open({
        ...listener,
        onMessage(text) {
          record('server', text);
          listener.onMessage(text);
        },
      });
    },
    send(text, message) {
      record('client', text);
      channel.send(text, message);
    },
    setRevision: (revision) => channel.setRevision?.(revision),
    abandon: (id) => channel.abandon?.(id) ?? false,
    get finished() {
      return channel.finished;
    },
    close: (reason) => channel.close(reason),
  };
}
