/** A server in this process that clients can reconnect to: the test can cut its connections. */
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
    /** Cuts the newest connection. */
    cut: () => cut(),
    get dials() {
      return dials;
    },
  };
}
