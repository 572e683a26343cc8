/** A client and a server in this process, with every message between them recorded in the order the client sees. */
import { type Client, type ConnectOptions, connect, type Server } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import type { Json } from './raw-connection.ts';

export interface Line {
  readonly from: 'client' | 'server';
  readonly message: Json;
}

/** The client's end of a new connection to a server. `onLine` receives every message. */
export function recorded(server: Pick<Server, 'accept'>, onLine: (line: Line) => void): Transport {
  const [near, far] = createMemoryTransports();
  server.accept(far);
  return {
    get state() {
      return near.state;
    },
    open: (listener) =>
      near.open({
        ...listener,
        onMessage(text) {
          onLine({ from: 'server', message: JSON.parse(text) });
          listener.onMessage(text);
        },
        onClose: (reason) => listener.onClose(reason),
      }),
    send(text) {
      onLine({ from: 'client', message: JSON.parse(text) });
      near.send(text);
    },
    close: (reason) => near.close(reason),
  };
}

export interface RecordedConnection {
  readonly client: Client;
  /** What the client sent. */
  readonly sent: Json[];
  /** What the server sent. */
  readonly received: Json[];
}

export async function connectRecorded(server: Server, options: ConnectOptions): Promise<RecordedConnection> {
  const sent: Json[] = [];
  const received: Json[] = [];
  const transport = recorded(server, ({ from, message }) => void (from === 'client' ? sent : received).push(message));
  return { client: await connect(transport, options), sent, received };
}
