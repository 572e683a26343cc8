/** How much of what was written to a socket the operating system has accepted. */
import type { Socket } from 'node:net';

/** The handle of a socket, which is private to Node: nothing else shows progress within one long write. */
type WithHandle = Socket & {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
};

/** Grows while the client reads, and stays the same while it does not. Without a handle it grows with each whole write. */
export function acceptedBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = (socket as WithHandle)._handle ?? {};
  if (bytesWritten === undefined || writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}
