/** Two sites on one port: at an address that stands for the public internet, and at a private one. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const maxTries = 20;

export async function listenTwice(publicly: RequestListener, privately: RequestListener) {
  for (let tries = 1; ; tries++) {
    const open = await listen('127.0.0.2', 0, publicly);
    const { port } = open.address() as AddressInfo;
    try {
      const hidden = await listen('127.0.0.1', port, privately);
      return { port, close: async () => void (await Promise.all([open, hidden].map(closed))) };
    } catch (error) {
      await closed(open);
      // The system knows that the port is free at the first address only: another process may have it at the second.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === maxTries) throw error;
    }
  }
}

async function listen(host: string, port: number, serve: RequestListener): Promise<Server> {
  const server = createServer(serve).listen(port, host);
  // Longer than the tests: a connection that is closed while a request is sent on it fails the request.
  server.keepAliveTimeout = 600_000;
  await once(server, 'listening');
  return server;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()).closeAllConnections());
