/** A channel that writes down what passes: every message, and which side said it. */
import { type Channel, memoryChannels, type Server } from 'tenon';

export interface Line {
  readonly from: 'client' | 'server';
  readonly message: Record<string, unknown>;
}

/** A channel to a server, and the transcript of what passes on it in the order the client sees. */
export function recorded(server: Server): { channel: Channel; lines: Line[] } {
  const [own, far] = memoryChannels();
  const lines: Line[] = [];
  const note = (from: Line['from'], text: string): void => void lines.push({ from, message: JSON.parse(text) });
  server.accept(far);
  const channel: Channel = {
    get state() {
      return own.state;
    },
    open(listener) {
      own.open({
        ...listener,
        frame(text) {
          note('server', text);
          listener.frame(text);
        },
        closed: (reason) => listener.closed(reason),
      });
    },
    send(frame) {
      note('client', frame);
      own.send(frame);
    },
    close: (reason) => own.close(reason),
  };
  return { channel, lines };
}
