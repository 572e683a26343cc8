/** Closes connections whose client reads nothing of a waiting response, also a short one that no queue limit would catch. */
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { acceptedBytes } from './accepted-bytes.ts';

export interface Connections {
  /** Resolves when everything queued has been read, or after `waitMs`. */
  flushed(waitMs: number): Promise<void>;
  /** Resolves when clients have closed all connections, or after `waitMs`. */
  ended(waitMs: number): Promise<void>;
  stopChecking(): void;
  /** Closes all, including those in a TLS handshake, which the HTTP server does not know. */
  destroyAll(): void;
}

/** What was accepted for a connection at its last check, and how many checks ago that changed. */
interface Progress {
  accepted: number;
  quietChecks: number;
}

/** Checks all connections every second, at no cost per call. What a client sends meanwhile does not count: it must read. */
export function endStalledReaders(
  listener: HttpServer,
  stallMs: number,
  onWarning: (error: TenonError) => void,
): Connections {
  const sockets = new Set<Socket>();
  let onEmpty: (() => void) | undefined;
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) onEmpty?.();
    });
  };
  listener.on('connection', track).on('secureConnection', track);
  const everyMs = Math.min(1000, stallMs / 4);
  const progress = new WeakMap<Socket, Progress>();

  function checkSocket(socket: Socket): void {
    const { writableLength: waiting } = socket;
    if (waiting === 0) return void progress.delete(socket);
    const accepted = acceptedBytes(socket);
    const before = progress.get(socket);
    if (before === undefined || before.accepted !== accepted)
      return void progress.set(socket, { accepted, quietChecks: 0 });
    before.quietChecks++;
    if (before.quietChecks * everyMs < stallMs) return;
    socket.destroy();
    onWarning(stalled(waiting, stallMs));
  }

  const check = setInterval(() => {
    for (const socket of sockets) checkSocket(socket);
  }, everyMs);
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
    async ended(waitMs) {
      if (sockets.size === 0 || waitMs <= 0) return;
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, waitMs);
        onEmpty = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
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
