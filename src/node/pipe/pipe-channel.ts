/** A channel over two byte streams, one JSON text a line: the pipes of this process or of a child. */
import type { Readable } from 'node:stream';
import { TenonError } from '../../jsonrpc/errors.ts';
import { type Channel, deliverClosed, deliverFrame, type FrameListener } from '../../transport/channel.ts';
import { createLineReader, type LineReader, type LineReaderOptions } from '../../transport/lines.ts';
import { bufferModule } from '../process/builtins.ts';
import { listenToInput } from './pipe-close.ts';
import { createPipeWriter, type PipeWriterOptions } from './pipe-writer.ts';
import { createReadRate, type ReadRate } from './read-rate.ts';

export interface PipeChannelOptions extends PipeWriterOptions {
  readonly input: Readable;
  /** The most characters of one line; one that has more ends the channel. */
  readonly maxCharacters?: number;
  /** Stops reading while this many characters wait, so that a peer that does not read cannot make more work. */
  readonly holdBackAt?: number;
  /** Hears that nothing more comes in while this side may still write. Without it the end of input ends the channel. */
  readonly onInputEnd?: () => void;
  /** Hears that nothing more can be written while something may still come in. Without it that ends the channel. */
  readonly onOutputEnd?: () => void;
  /** Lets go of the output once all is written or given up, so that the other side hears the end. */
  readonly releaseOutput?: () => void;
}

export interface PipeChannel extends Channel {
  /** Settles when the channel is closed and all that was sent has left or cannot leave; with why it ended, if known. */
  readonly finished: Promise<Error | undefined>;
  /** How many lines have come, those that could not be read included. */
  readonly lines: number;
}

/** Well over any sane message, screenshots in Base64 included. */
export const defaultMaxCharacters: number = 16 * 1024 * 1024;

/** A character, as limits count them, has no more bytes than this. */
const bytesPerCharacter = 3;

type Side = { at: 'idle' } | { at: 'open'; listener: FrameListener } | { at: 'closed' };

export function createPipeChannel(options: PipeChannelOptions): PipeChannel {
  const {
    input,
    maxCharacters = defaultMaxCharacters,
    releaseOutput: release,
    holdBackAt = Number.POSITIVE_INFINITY,
  } = options;
  let side: Side = { at: 'idle' };
  let stopListening = (): void => {};
  const { finished, finish } = createEnd();
  const tap = createReadRate(input, holdBackAt);
  const writer = createPipeWriter(options, {
    onQueue: tap.outputQueued,
    onDrain: tap.outputDrained,
    onFail: (error) => (error === undefined && options.onOutputEnd ? options.onOutputEnd() : close(error)),
  });
  const reader = createReader(maxCharacters, tap, {
    line: (text) => side.at === 'open' && deliverFrame(side.listener, text),
    fault: (error) => side.at === 'open' && side.listener.fault?.(error),
    tooLong: () => breakOff(tooLong(maxCharacters)),
  });

  /** The rest is not worth reading to its end, if it has one. */
  function breakOff(reason: TenonError): void {
    close(reason);
    input.destroy();
  }

  function close(reason?: Error): void {
    if (side.at === 'closed') return;
    const listener = side.at === 'open' ? side.listener : undefined;
    side = { at: 'closed' };
    // Told before it has finished, since a process may end then.
    if (listener !== undefined) queueMicrotask(() => deliverClosed(listener, reason));
    input.off('data', take).off('pause', tap.onPause);
    // What still comes is passed over: a stream that nobody reads never ends.
    input.resume();
    writer.end((lost) => {
      // Streams that are given back are left as they were; one that this side ends can still break while it does.
      if (release === undefined) {
        writer.stopListening();
        stopListening();
      }
      release?.();
      finish(reason ?? lost);
    });
  }

  /** What was answered at once leaves at once, in one write; the rest leaves with this turn of the loop. */
  function take(chunk: unknown): void {
    // A stream with an encoding gives text.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    if (!(bytes instanceof Uint8Array)) return breakOff(notBytes(chunk));
    reader.push(bytes);
    writer.flushNow();
    if (side.at !== 'closed') tap.yieldIfBusy();
  }
  function inputEnded(): void {
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
      return tap.lines;
    },
    open(listener) {
      if (side.at === 'closed') throw new TenonError('connection-closed', 'Cannot open a pipe that is closed.');
      if (side.at === 'open') throw new TenonError('already-open', 'This pipe has a listener already.');
      side = { at: 'open', listener };
      stopListening = listenToInput(input, { onEnd: inputEnded, onClose: close });
      input.on('data', take).on('pause', tap.onPause);
    },
    send(frame) {
      if (side.at === 'closed') throw new TenonError('connection-closed', 'Cannot write to a pipe that is closed.');
      writer.put(frame);
    },
    close,
  };
}

export interface End {
  readonly finished: Promise<Error | undefined>;
  finish(reason: Error | undefined): void;
}

function createEnd(): End {
  let finish: End['finish'] = () => {};
  const finished = new Promise<Error | undefined>((resolve) => (finish = resolve));
  return { finished, finish };
}

interface ReaderPorts extends Pick<LineReaderOptions, 'line' | 'fault'> {
  tooLong(): void;
}

/** Lines, counted, of no more characters than may be sent. */
const createReader = (maxCharacters: number, tap: ReadRate, ports: ReaderPorts): LineReader =>
  createLineReader({
    maxBytes: maxCharacters * bytesPerCharacter,
    decode,
    join: Buffer.concat,
    line(text) {
      tap.countLine();
      if (text.length > maxCharacters) ports.tooLong();
      else ports.line(text);
    },
    fault(error) {
      tap.countLine();
      if (error.code === 'frame-too-large') ports.tooLong();
      else ports.fault(error);
    },
  });

const { isUtf8 } = bufferModule();

/** Strict, as a `TextDecoder` with `fatal` is, and several times as fast. */
function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new TypeError('The bytes are not UTF-8.');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const notBytes = (given: unknown): TenonError => {
  const kind = typeof given === 'object' ? 'an object' : `a ${typeof given}`;
  return new TenonError('invalid-argument', `The input gave ${kind} where bytes or text are expected.`, {
    hint: 'Pass a stream that gives what the other side has written, as it was written.',
  });
};

const tooLong = (maxCharacters: number): TenonError =>
  new TenonError('frame-too-large', `A line has more than ${maxCharacters} characters; the connection ends.`, {
    hint: 'Send smaller messages, or raise limits.maxCharacters.',
    details: { maxCharacters },
  });
