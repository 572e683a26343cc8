/** A transport that records its messages. */
import type { RevisionTransport } from '../client/connection/revision-transport.ts';

/** One message as it crossed the wire. */
export interface RecordedMessage {
  /** The side that sent it. */
  readonly from: 'client' | 'server';
  /** The parsed JSON-RPC message. */
  readonly message: unknown;
}

/** The transport of the client. Every message that it sends or receives is added to `messages`. */
export function recordingTransport(transport: RevisionTransport, messages: RecordedMessage[]): RevisionTransport {
  const record = (from: RecordedMessage['from'], text: string): void =>
    void messages.push({ from, message: JSON.parse(text) });
  return {
    get state() {
      return transport.state;
    },
    open(listener) {
      transport.open({
        ...listener,
        onMessage(text) {
          record('server', text);
          listener.onMessage(text);
        },
      });
    },
    send(text, message) {
      record('client', text);
      transport.send(text, message);
    },
    setRevision: (revision) => transport.setRevision?.(revision),
    abandon: (id) => transport.abandon?.(id) ?? false,
    get finished() {
      return transport.finished;
    },
    close: (reason) => transport.close(reason),
  };
}
