/** A channel over two byte streams, one JSON text a line: the pipes of this process or of a child. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { TenonError } from '../jsonrpc/errors.ts';
import { type Channel, deliverClosed, deliverFrame, type FrameListener } from '../transport/channel.ts';
import { createLineReader } from '../transport/lines.ts';

export interface PipeChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to the output where its own `write` belongs to somebody else. */
  readonly write?: (text: string, done?: () => void) => boolean;
  /** The most bytes of one line; one that has more ends the channel. */
  readonly maxBytes?: number;
  /** Characters that may wait to be written; a reader so slow that more would wait loses the channel. */
  readonly maxWaiting?: number;
  /** Stops reading while this many characters wait, so that a peer that does not read cannot make more work. */
  readonly holdBackAt?: number;
  /** Hears that nothing more comes in while this side may still write. Without it the end of input ends the channel. */
  readonly inputEnded?: () => void;
  /** Lets go of the output once all is written or given up, so that the other side hears the end. */
  readonly release?: () => void;
}

export interface PipeChannel extends Channel {
  /** Settles when the channel is closed and all that was sent has left or cannot leave; with why it ended, if known. */
  readonly finished: Promise<Error | undefined>;
}

/** Well over any sane message, screenshots in Base64 included. */
export const defaultMaxBytes: number = 16 * 1024 * 1024;

/** How long the last bytes may take to leave: a reader that does not read must not keep the process. */
const flushMs = 1000;

type Side = { at: 'idle' } | { at: 'open'; listener: FrameListener } | { at: 'closed' };

export function createPipeChannel(options: PipeChannelOptions): PipeChannel {
  const { input, maxBytes = defaultMaxBytes, release } = options;
  let side: Side = { at: 'idle' };
  let finish = (_reason: Error | undefined): void => {};
  const finished = new Promise<Error | undefined>((resolve) => (finish = resolve));
  const writer = createWriter(options, (error) => close(error));
  const reader = createLineReader({
    maxBytes,
    decode,
    line: (text) => side.at === 'open' && deliverFrame(side.listener, text),
    fault: (error) => (error.code === 'frame-too-large' ? breakOff() : tellFault(error)),
  });

  /** The rest of a line that is too long is not worth reading to its end, if it has one. */
  function breakOff(): void {
    close(tooLong(maxBytes));
    input.destroy();
  }

  function tellFault(error: TenonError): void {
    if (side.at === 'open') side.listener.fault?.(error);
  }

  function close(reason?: Error): void {
    if (side.at === 'closed') return;
    const listener = side.at === 'open' ? side.listener : undefined;
    side = { at: 'closed' };
    // Told before it has finished, since a process may end then.
    if (listener !== undefined) queueMicrotask(() => deliverClosed(listener, reason));
    input.off('data', take);
    // What still comes is passed over: a stream that nobody reads never ends.
    input.resume();
    writer.end(() => {
      // Streams that are given back are left as they were; one that this side ends can still break while it does.
      if (release === undefined) letGo();
      release?.();
      finish(reason);
    });
  }

  /** What was answered at once leaves at once, in one write; the rest leaves with this turn of the loop. */
  function take(chunk: Buffer): void {
    reader.push(chunk);
    writer.flushNow();
  }
  function inputEnded(): void {
    reader.end();
    if (options.inputEnded === undefined || side.at !== 'open') return close();
    options.inputEnded();
  }

  const inputFailed = (error: Error): void => close(broken(error));
  // A stream that is destroyed ends without saying so.
  const inputClosed = (): void => (input.readableEnded ? undefined : close());
  function letGo(): void {
    writer.letGo();
    input.off('end', inputEnded).off('error', inputFailed).off('close', inputClosed);
  }

  return {
    finished,
    get state() {
      return side.at;
    },
    open(listener) {
      if (side.at === 'closed') throw new TenonError('connection-closed', 'Cannot open a pipe that is closed.');
      if (side.at === 'open') throw new TenonError('already-open', 'This pipe has a listener already.');
      side = { at: 'open', listener };
      input.on('data', take).once('end', inputEnded).once('error', inputFailed).once('close', inputClosed);
    },
    send(frame) {
      if (side.at === 'closed') throw new TenonError('connection-closed', 'Cannot write to a pipe that is closed.');
      writer.put(frame);
    },
    close,
  };
}

/** What is to be written; everything sent in one turn of the loop leaves together. */
interface Writer {
  put(frame: string): void;
  /** Writes what would leave with this turn of the loop. */
  flushNow(): void;
  /** Writes what waits, then says so; also when it cannot be written, or not in time. */
  end(done: () => void): void;
  /** Stops listening to the output. */
  letGo(): void;
}

function createWriter(options: PipeChannelOptions, failed: (error?: Error) => void): Writer {
  const { input, output, maxWaiting = 64 * 1024 * 1024, holdBackAt = Number.POSITIVE_INFINITY } = options;
  const write = options.write ?? ((text: string, done?: () => void): boolean => output.write(text, 'utf8', done));
  let waiting = '';
  let state: 'clear' | 'flushing-soon' | 'blocked' | 'broken' = 'clear';
  let held = false;

  function flush(): void {
    const text = waiting;
    waiting = '';
    // Streams in one process hand on at once what is written, and whoever hears it may send from there.
    state = 'clear';
    if (text !== '' && !write(text)) state = 'blocked';
    if (held && state === 'clear') release();
  }
  function hold(): void {
    held = true;
    input.pause();
  }
  function release(): void {
    held = false;
    input.resume();
  }

  /** Nothing more is written. */
  function fail(error?: TenonError): void {
    state = 'broken';
    waiting = '';
    failed(error);
  }
  const flushNow = (): void => {
    if (state === 'flushing-soon') flush();
  };
  const drained = (): void => {
    if (state === 'blocked') flush();
  };
  const outputFailed = (error: NodeJS.ErrnoException): void => fail(hasLeft(error) ? undefined : broken(error));
  output.on('drain', drained).on('error', outputFailed);

  return {
    put(frame) {
      const size = waiting.length + frame.length;
      // A frame by itself is as large as the limits of messages let it be.
      if (size > maxWaiting && waiting !== '') {
        const error = tooSlow(size, maxWaiting);
        fail(error);
        throw error;
      }
      waiting += `${frame}\n`;
      if (size > holdBackAt && !held) hold();
      if (state !== 'clear') return;
      state = 'flushing-soon';
      setImmediate(flushNow);
    },
    flushNow,
    end(done) {
      if (state === 'broken') return done();
      const text = waiting;
      waiting = '';
      state = 'broken';
      const bound = setTimeout(done, flushMs);
      write(text, () => {
        clearTimeout(bound);
        done();
      });
    },
    letGo() {
      output.off('drain', drained);
      // The error of a write is emitted after the write has been called back.
      if (output.errored === null) output.off('error', outputFailed);
    },
  };
}

/** Strict, as a `TextDecoder` with `fatal` is, and several times as fast. */
function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new TypeError('The bytes are not UTF-8.');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The other side has gone, which is an end like any other. */
const hasLeft = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';

const broken = (cause: Error): TenonError =>
  new TenonError('connection-closed', `A pipe broke: ${cause.message}.`, { cause });

const tooLong = (maxBytes: number): TenonError =>
  new TenonError('frame-too-large', `A line has more than ${maxBytes} bytes; the connection ends.`, {
    hint: 'Send smaller messages, or raise limits.maxCharacters.',
    details: { maxBytes },
  });

const tooSlow = (waiting: number, maxWaiting: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, over the limit of ${maxWaiting}.`, {
    hint: 'The other side has to read; the connection ends.',
    details: { waiting, maxWaiting },
  });
