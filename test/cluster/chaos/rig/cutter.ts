/** A TCP connection that can be cut: between the nodes and the server of their store. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Cutter {
  readonly port: number;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Leaves the connections open and carries nothing. */
  stall(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startCutter(target: number): Promise<Cutter> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    join(client, upstream);
    join(upstream, client);
    if (state === 'stalled') for (const socket of [client, upstream]) socket.pause();
  });

  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (chunk) => void to.write(chunk));
    from.on('error', () => to.destroy());
    from.once('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    heal() {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
