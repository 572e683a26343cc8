/** A transport over two byte streams, one JSON text per line: the standard streams of this process or of a child. */

import type { Readable } from 'node:stream';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { createLineReader, type LineReader, type LineReaderOptions } from '../../transport/lines.ts';
import { deliverClosed, deliverFrame, type Transport, type TransportListener } from '../../transport/transport.ts';
import { bufferModule } from '../process/builtins.ts';
import { listenToInput } from './pipe-close.ts';
import { createPipeWriter, type PipeWriterOptions } from './pipe-writer.ts';
import { createReadRate, type ReadRate } from './read-rate.ts';

export interface PipeTransportOptions extends PipeWriterOptions {
  readonly input: Readable;
  /** A line with more characters closes the transport. */
  readonly maxMessageChars?: number;
  /** Delivers blank lines and a byte order mark, to be refused. */
  readonly strict?: boolean;
  /** Stops reading while this many characters are queued for writing, so that a peer that does not read cannot cause more work. */
  readonly holdBackAt?: number;
  /** Called with each blank line: it is no message, but may be part of what a program prints. */
  readonly onBlankLine?: (text: string) => void;
  /** Called when the input has ended while this side may still write. Without it the end of input closes the transport. */
  readonly onInputEnd?: () => void;
  /** Called when nothing more can be written while input may still come. Without it that closes the transport. */
  readonly onOutputEnd?: () => void;
  /** Called once all output is written or dropped, to close the stream for the other side. */
  readonly releaseOutput?: () => void;
}

export interface PipeTransport extends Transport {
  /** Resolves when the transport is closed and all output is written or lost; with the reason, if known. */
  readonly finished: Promise<Error | undefined>;
  /** How many lines have arrived, unreadable ones included. */
  readonly lines: number;
}

/** Well above any reasonable message, screenshots in Base64 included. */
export const defaultMaxCharacters: number = 16 * 1024 * 1024;

/** The most bytes of a character, as the limits count characters. */
const bytesPerCharacter = 3;

type Side = { at: 'idle' } | { at: 'open'; listener: TransportListener } | { at: 'closed' };

export function createPipeTransport(options: PipeTransportOptions): PipeTransport {
  const { input, maxMessageChars = defaultMaxCharacters, holdBackAt = Number.POSITIVE_INFINITY } = options;
  let side: Side = { at: 'idle' };
  let stopListening = (): void => {};
  const { promise: finished, resolve: finish } = createDeferred<Error | undefined>();
  const rate = createReadRate(input, holdBackAt);
  const writer = createPipeWriter(options, {
    onQueue: rate.outputQueued,
    onDrain: rate.outputDrained,
    onFail: (error) => (error === undefined && options.onOutputEnd ? options.onOutputEnd() : close(error)),
  });
  const reader = createReader(maxMessageChars, rate, {
    line: (text) => side.at === 'open' && deliverFrame(side.listener, text),
    onWarning: (error) => side.at === 'open' && side.listener.onWarning?.(error),
    tooLong: () => abort(tooLong(maxMessageChars)),
    ...blankLines(options),
  });

  /** Closes without reading the rest of the input. */
  function abort(reason: TenonError): void {
    close(reason);
    input.destroy();
  }

  function close(reason?: Error): void {
    if (side.at === 'closed') return;
    const listener = side.at === 'open' ? side.listener : undefined;
    side = { at: 'closed' };
    // Before `finished` resolves, since the process may exit then.
    if (listener !== undefined) queueMicrotask(() => deliverClosed(listener, reason));
    input.off('data', onData).off('pause', rate.onPause);
    // Further input is discarded: a stream that is not read never ends.
    input.resume();
    writer.end((lost) => {
      // Streams that stay open are left as they were; one that this side closes may still fail while it closes.
      if (options.releaseOutput === undefined) {
        writer.stopListening();
        stopListening();
      }
      options.releaseOutput?.();
      finish(reason ?? lost);
    });
  }

  /** Synchronous answers are written at once, in one write; the others at the end of this turn of the event loop. */
  function onData(chunk: unknown): void {
    const bytes = bytesOf(chunk);
    if (bytes === undefined) return abort(notBytes(chunk));
    reader.push(bytes);
    writer.flushNow();
    if (side.at !== 'closed') rate.yieldIfBusy();
  }
  function onInputEnd(): void {
    reader.end();
    if (options.onInputEnd !== undefined && side.at === 'open') options.onInputEnd();
    else close();
  }

  return {
    finished,
    get state() {
      return side.at;
    },
    get lines() {
      return rate.lines;
    },
    open(listener) {
      if (side.at !== 'idle') throw notOpenable(side.at);
      side = { at: 'open', listener };
      stopListening = listenToInput(input, { onEnd: onInputEnd, onClose: close });
      input.on('data', onData).on('pause', rate.onPause);
    },
    send(frame) {
      if (side.at === 'closed') throw new TenonError('connection-closed', 'Cannot write to a pipe that is closed.');
      writer.put(frame);
    },
    close,
  };
}

/** A stream with an encoding emits strings. */
function bytesOf(chunk: unknown): Uint8Array | undefined {
  if (typeof chunk === 'string') return Buffer.from(chunk, 'utf8');
  return chunk instanceof Uint8Array ? chunk : undefined;
}

const notOpenable = (state: 'open' | 'closed'): TenonError =>
  state === 'closed'
    ? new TenonError('connection-closed', 'Cannot open a pipe that is closed.')
    : new TenonError('already-open', 'This pipe has a listener already.');

const blankLines = ({ strict = false, onBlankLine }: PipeTransportOptions) => ({
  strict,
  ...(onBlankLine !== undefined && { blankLine: onBlankLine }),
});

interface ReaderListener extends Pick<LineReaderOptions, 'line' | 'blankLine' | 'onWarning' | 'strict'> {
  tooLong(): void;
}

/** Reads lines, counts them, and rejects those with too many characters. */
const createReader = (maxMessageChars: number, rate: ReadRate, listener: ReaderListener): LineReader =>
  createLineReader({
    maxBytes: maxMessageChars * bytesPerCharacter,
    decode,
    join: Buffer.concat,
    ...(listener.blankLine !== undefined && { blankLine: listener.blankLine }),
    strict: listener.strict === true,
    line(text) {
      rate.countLine();
      if (text.length > maxMessageChars) listener.tooLong();
      else listener.line(text);
    },
    onWarning(error) {
      rate.countLine();
      if (error.code === 'message-too-large') listener.tooLong();
      else listener.onWarning(error);
    },
  });

const { isUtf8 } = bufferModule();

/** As strict as a `TextDecoder` with `fatal`, and several times as fast. */
function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new TypeError('The bytes are not UTF-8.');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const notBytes = (chunk: unknown): TenonError => {
  const kind = typeof chunk === 'object' ? 'an object' : `a ${typeof chunk}`;
  return new TenonError('invalid-argument', `The input gave ${kind} where bytes or text are expected.`, {
    hint: 'Pass a stream of bytes or text.',
  });
};

const tooLong = (maxMessageChars: number): TenonError =>
  new TenonError(
    'message-too-large',
    `A line has more than ${maxMessageChars} characters; the connection was closed.`,
    {
      hint: 'Send smaller messages, or raise limits.maxMessageChars.',
      details: { maxMessageChars },
    },
  );
