/** A channel that records its messages. */
import type { RevisionChannel } from '../client/connection/revision-channel.ts';

/** One message as it crossed the wire. */
export interface RecordedMessage {
  readonly from: 'client' | 'server';
  readonly message: unknown;
}

/** The client's end of a channel; every message sent or received is added to `frames`. */
export function recordingChannel(channel: RevisionChannel, frames: RecordedMessage[]): RevisionChannel {
  const record = (from: RecordedMessage['from'], text: string): void =>
    void frames.push({ from, message: JSON.parse(text) });
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
