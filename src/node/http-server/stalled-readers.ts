/** Closes connections whose client reads nothing of a waiting response, also a short one that no queue limit would catch. */
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { TenonError } from '../../jsonrpc/errors.ts';

export interface Connections {
  /** Resolves when everything queued has been read, or after `waitMs`. */
  flushed(waitMs: number): Promise<void>;
  stopChecking(): void;
  /** Closes all, including those in a TLS handshake, which the HTTP server does not know. */
  destroyAll(): void;
}

/**
 * Checks all connections periodically, at no cost per call. While data is queued, the timer of the socket is set, which
 * notices progress within one long write; when none is queued, the timer is cleared.
 */
export function endStalledReaders(
  listener: HttpServer,
  stallMs: number,
  onWarning: (error: TenonError) => void,
): Connections {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  listener.on('connection', track).on('secureConnection', track);
  listener.on('timeout', (socket: Socket) => {
    const { writableLength: waiting } = socket;
    socket.destroy();
    if (waiting > 0) onWarning(stalled(waiting, stallMs));
  });
  const timed = new WeakSet<Socket>();
  const check = setInterval(() => {
    for (const socket of sockets) {
      if (socket.writableLength > 0) startTimer(socket);
      else if (timed.delete(socket) && socket.timeout === stallMs) socket.setTimeout(0);
    }
  }, stallMs / 2);
  const startTimer = (socket: Socket): void => {
    // Node sets the timer itself between requests, so it may have changed since.
    if (socket.timeout !== stallMs) socket.setTimeout(stallMs);
    timed.add(socket);
  };
  check.unref();
  return {
    stopChecking: () => clearInterval(check),
    async flushed(waitMs) {
      let timeout: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timeout = setTimeout(resolve, Math.max(0, waitMs), 'late');
      });
      // A pipelined answer reaches the socket only when the one before it has been read.
      for (;;) {
        const unread = [...sockets].filter((socket) => socket.writableLength > 0 && !socket.destroyed);
        if (unread.length === 0) break;
        if ((await Promise.race([Promise.all(unread.map(flushed)), late])) === 'late') break;
      }
      clearTimeout(timeout);
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Resolves one turn of the event loop after everything queued now has been read, so that later data is queued by then. */
const flushed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('close', settle);
      setImmediate(resolve);
    };
    socket.once('close', settle);
    // Writes nothing: its callback runs after all earlier writes.
    if (!socket.writableEnded) socket.write('', settle);
  });

const stalled = (waiting: number, stallMs: number): TenonError =>
  new TenonError('queue-full', `A client was disconnected: it read none of ${waiting} bytes for ${stallMs} ms.`, {
    hint: 'The client must read its responses; timeouts.stallMs sets how long it may pause.',
    details: { waiting, stallMs },
  });
