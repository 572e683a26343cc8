/** A Tenon server inside a client of the official MCP SDK. */

import type { Server } from '../server/server.ts';
import { createMemoryTransports } from '../transport/memory.ts';
import type { OfficialTransport } from './types.ts';

/**
 * A transport for a `Client` of the official SDK, version 1 or 2, that leads to a server of this process:
 * `await client.connect(toOfficialTransport(server))`. Each transport is one connection.
 */
export function toOfficialTransport(server: Pick<Server, 'accept'>): OfficialTransport {
  const [here, there] = createMemoryTransports();
  const transport: OfficialTransport = {
    async start() {
      here.open({
        onMessage: (text) => transport.onmessage?.(JSON.parse(text)),
        onClose(reason) {
          if (reason !== undefined) transport.onerror?.(reason);
          transport.onclose?.();
        },
        onWarning: (error) => transport.onerror?.(error),
      });
      server.accept(there);
    },
    async send(message: unknown) {
      here.send(JSON.stringify(message));
    },
    async close() {
      here.close();
    },
  };
  return transport;
}
