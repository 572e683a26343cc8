/** Ends connections whose other side takes nothing of what waits for it: no limit on a queue ever sees a short answer. */
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { TenonError } from '../jsonrpc/errors.ts';

export interface Connections {
  /** Settles when all that waits has been taken, or after so long. */
  flushed(waitMs: number): Promise<void>;
  /** Looks at them no longer. */
  stopLooking(): void;
  /** Ends all, also those that have yet to agree on how to encrypt, of which an HTTP server does not know. */
  cutAll(): void;
}

/**
 * Looks at all connections from time to time, which costs a call nothing. Where something waits the socket's own timer
 * is set, which knows of progress inside one long write; where nothing waits any more it is taken back.
 */
export function endStalledReaders(listener: HttpServer, stallMs: number, fault: (error: Error) => void): Connections {
  const sockets = new Set<Socket>();
  const enter = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  listener.on('connection', enter).on('secureConnection', enter);
  listener.on('timeout', (socket: Socket) => {
    const { writableLength: waiting } = socket;
    socket.destroy();
    if (waiting > 0) fault(stalled(waiting, stallMs));
  });
  const held = new WeakSet<Socket>();
  const look = setInterval(() => {
    for (const socket of sockets) {
      if (socket.writableLength > 0) hold(socket);
      else if (held.delete(socket) && socket.timeout === stallMs) socket.setTimeout(0);
    }
  }, stallMs / 2);
  const hold = (socket: Socket): void => {
    if (!held.has(socket)) socket.setTimeout(stallMs);
    held.add(socket);
  };
  look.unref();
  return {
    stopLooking: () => clearInterval(look),
    async flushed(waitMs) {
      const behind = [...sockets].filter((socket) => socket.writableNeedDrain);
      if (behind.length === 0) return;
      const taken = behind.map(
        (socket) => new Promise((resolve) => socket.once('drain', resolve).once('close', resolve)),
      );
      let bound: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        bound = setTimeout(resolve, waitMs);
      });
      await Promise.race([Promise.all(taken), late]);
      clearTimeout(bound);
    },
    cutAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const stalled = (waiting: number, stallMs: number): TenonError =>
  new TenonError('queue-full', `A reader took none of ${waiting} bytes for ${stallMs} ms; it was let go.`, {
    details: { waiting, stallMs },
  });
