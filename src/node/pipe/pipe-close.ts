/** How the streams of a pipe end: by their end, by an error, by being destroyed without a word, or before anybody listened. */
import type { Readable, Writable } from 'node:stream';
import { TenonError } from '../../jsonrpc/errors.ts';

export interface InputListener {
  /** Nothing more comes. */
  onEnd(): void;
  /** Nothing more can come; why is absent where nobody said so. May be heard more than once. */
  onClose(reason?: TenonError): void;
}

/** Listens for the end of an input; gives what stops that. The ports hear nothing before this has returned. */
export function listenToInput(input: Readable, { onEnd: ended, onClose: gone }: InputListener): () => void {
  const failed = (error: Error): void => (isDisconnect(error) ? ended() : gone(broken(error)));
  // A stream that is destroyed ends without saying so.
  const closed = (): void => (input.readableEnded || input.errored !== null ? undefined : gone());
  input.once('end', ended).once('error', failed).once('close', closed);
  // What a stream has said once it does not say again.
  if (input.readableEnded) queueMicrotask(ended);
  else if (input.destroyed) queueMicrotask(() => gone(whyDestroyed(input)));
  return () => void input.off('end', ended).off('error', failed).off('close', closed);
}

const whyDestroyed = ({ errored }: Readable): TenonError | undefined =>
  errored === null || isDisconnect(errored) ? undefined : broken(errored);

export interface OutputListener {
  /** It takes more again. */
  onDrain(): void;
  /** Nothing more can be written; why is absent where the other side has left. May be heard more than once. */
  onClose(reason?: TenonError): void;
}

/** Listens to an output, of which it may be known that only this process can close it; gives what stops that. */
export function listenToOutput(
  output: Writable,
  isOwn: boolean,
  { onDrain: drained, onClose: gone }: OutputListener,
): () => void {
  const isOver = output.destroyed || output.writableEnded;
  const failed = (error: Error): void => gone(isDisconnect(error) ? undefined : broken(error));
  const closed = (): void => gone(isOwn || isOver ? closedHere() : undefined);
  output.on('drain', drained).on('error', failed).on('close', closed);
  if (isOver) queueMicrotask(closed);
  return () => {
    output.off('drain', drained).off('close', closed);
    // The error of a write is emitted after the write has been called back.
    if (output.errored === null) output.off('error', failed);
  };
}

/** The other side has gone, which is an end like any other. */
const isDisconnect = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';

const broken = (cause: Error): TenonError =>
  new TenonError('connection-closed', `A pipe broke: ${cause.message}.`, { cause });

const closedHere = (): TenonError =>
  new TenonError('connection-closed', 'The output was closed by the process that serves on it.', {
    hint: 'Serve on a stream that is open, and leave it open until the connection has ended.',
  });
