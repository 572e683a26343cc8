/** Ends connections whose other side takes nothing of what waits for it: no limit on a queue ever sees a short answer. */
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { TenonError } from '../../jsonrpc/errors.ts';

export interface Connections {
  /** Settles when all that waits has been taken, or after so long. */
  flushed(waitMs: number): Promise<void>;
  /** Looks at them no longer. */
  stopChecking(): void;
  /** Ends all, also those that have yet to agree on how to encrypt, of which an HTTP server does not know. */
  destroyAll(): void;
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
    // Between the requests of a connection Node sets the timer itself, so that it was set once says nothing.
    if (socket.timeout !== stallMs) socket.setTimeout(stallMs);
    held.add(socket);
  };
  look.unref();
  return {
    stopChecking: () => clearInterval(look),
    async flushed(waitMs) {
      let bound: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        bound = setTimeout(resolve, Math.max(0, waitMs), 'late');
      });
      // An answer to a request that was sent behind another comes to the socket when the one before has been taken.
      for (;;) {
        const behind = [...sockets].filter((socket) => socket.writableLength > 0 && !socket.destroyed);
        if (behind.length === 0) break;
        if ((await Promise.race([Promise.all(behind.map(taken)), late])) === 'late') break;
      }
      clearTimeout(bound);
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Settles a turn after all that waits now has been taken, so that what follows it waits by then. */
const taken = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('close', settle);
      setImmediate(resolve);
    };
    socket.once('close', settle);
    // Nothing is written by this: it is called back behind all that was written before.
    if (!socket.writableEnded) socket.write('', settle);
  });

const stalled = (waiting: number, stallMs: number): TenonError =>
  new TenonError('queue-full', `A reader took none of ${waiting} bytes for ${stallMs} ms; it was let go.`, {
    details: { waiting, stallMs },
  });
