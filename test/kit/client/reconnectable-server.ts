/** A server in this process that is reached as if by an address: connections to it can be cut, and are made again. */
import type { Client, ConnectOptions, Server } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { buildClient } from '../../../src/client/client-core.ts';

export function reconnectable(server: Pick<Server, 'accept'>, address?: string) {
  let cut = (): void => {};
  let dials = 0;
  const client = (options: ConnectOptions): Client =>
    buildClient(
      {
        reconnects: true,
        ...(address !== undefined && { address }),
        connect(open) {
          dials++;
          const [here, there]: [Transport, Transport] = createMemoryTransports();
          server.accept(there);
          cut = () => there.close(new Error('cut'));
          return open(here);
        },
      },
      options,
      { random: () => 0, maxWaiting: 100 },
    );
  return {
    client,
    /** Cuts the connection that was made last. */
    cut: () => cut(),
    get dials() {
      return dials;
    },
  };
}
