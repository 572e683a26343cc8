/** Detects that a stream of a pipe has closed: by its end, an error, being destroyed, or before a listener was added. */
import type { Readable, Writable } from 'node:stream';
import { TenonError } from '../../lib/errors/tenon-error.ts';

export interface InputListener {
  /** The input has ended. */
  onEnd(): void;
  /** The input has closed without an end; `reason` is set if the stream failed. May be called more than once. */
  onClose(reason?: TenonError): void;
}

/** Listens for the end of an input, and returns a function that stops. Nothing is called before this has returned. */
export function listenToInput(input: Readable, { onEnd, onClose }: InputListener): () => void {
  const failed = (error: Error): void => (isDisconnect(error) ? onEnd() : onClose(broken(error)));
  // A destroyed stream emits no `end`.
  const closed = (): void => (input.readableEnded || input.errored !== null ? undefined : onClose());
  input.once('end', onEnd).once('error', failed).once('close', closed);
  // A stream does not repeat its events.
  if (input.readableEnded) queueMicrotask(onEnd);
  else if (input.destroyed) queueMicrotask(() => onClose(whyDestroyed(input)));
  return () => void input.off('end', onEnd).off('error', failed).off('close', closed);
}

const whyDestroyed = ({ errored }: Readable): TenonError | undefined =>
  errored === null || isDisconnect(errored) ? undefined : broken(errored);

export interface OutputListener {
  /** It accepts more data again. */
  onDrain(): void;
  /** Nothing more can be written; `reason` is absent if the other side has disconnected. May be called more than once. */
  onClose(reason?: TenonError): void;
}

/** Listens to an output, and returns a function that stops. `isOwn`: only this process can close it. */
export function listenToOutput(output: Writable, isOwn: boolean, { onDrain, onClose }: OutputListener): () => void {
  const isClosed = output.destroyed || output.writableEnded;
  const failed = (error: Error): void => onClose(isDisconnect(error) ? undefined : broken(error));
  const closed = (): void => onClose(isOwn || isClosed ? closedHere() : undefined);
  output.on('drain', onDrain).on('error', failed).on('close', closed);
  if (isClosed) queueMicrotask(closed);
  return () => {
    output.off('drain', onDrain).off('close', closed);
    // The error of a write is emitted after the callback of the write.
    if (output.errored === null) output.off('error', failed);
  };
}

/** The other side has disconnected, which is no failure. */
const isDisconnect = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';

const broken = (cause: Error): TenonError =>
  new TenonError('connection-closed', `A pipe broke: ${cause.message}.`, { cause });

const closedHere = (): TenonError =>
  new TenonError('connection-closed', 'The output was closed by the process that serves on it.', {
    hint: 'Leave the output open until the connection has closed.',
  });
