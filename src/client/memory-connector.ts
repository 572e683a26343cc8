/** Connects to a server in this process over a pair of memory transports, with the same messages as any other. */
import { createMemoryTransports } from '../transport/memory.ts';
import type { Transport } from '../transport/transport.ts';
import type { Connector } from './connection/connector.ts';

export const memoryConnector = (server: { accept(transport: Transport): unknown }): Connector => ({
  reconnects: false,
  async connect(open, _signal, _deadlines, report) {
    report?.({ kind: 'open', side: 'client', transport: 'memory', peer: '' });
    const [here, there] = createMemoryTransports();
    server.accept(there);
    return open(here);
  },
});
