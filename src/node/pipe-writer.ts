/** What leaves by a byte stream: all of one turn of the loop together, large texts in pieces, and a bound on what waits. */
import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import { TenonError } from '../jsonrpc/errors.ts';

export interface PipeWriterOptions {
  readonly output: Writable;
  /** Writes to the output where its own `write` belongs to somebody else. */
  readonly write?: (data: string | Uint8Array, done?: () => void) => boolean;
  /** Characters that may wait to be written; where more would wait, the channel ends. */
  readonly maxWaiting?: number;
  /** For how long the other side may take nothing while more than a quarter of that waits. */
  readonly stalledMs?: number;
  /** Stops reading while this many characters wait, so that a peer that does not read cannot make more work. */
  readonly holdBackAt?: number;
  /** For how long the other side may take nothing of the last that is sent. */
  readonly flushMs?: number;
}

export interface PipeWriterPorts {
  hold(): void;
  release(): void;
  /** Nothing more can be written; why is absent where the other side has left. */
  failed(error?: TenonError): void;
}

export interface PipeWriter {
  put(frame: string): void;
  /** Writes what would leave with this turn of the loop. */
  flushNow(): void;
  /** Writes what waits, for as long as the other side takes of it; then says so, with what is wrong if that was not all. */
  end(done: (lost?: TenonError) => void): void;
  /** Stops listening to the output. */
  letGo(): void;
}

export const defaultMaxWaiting: number = 256 * 1024 * 1024;
/** Texts that wait are put together up to this size, and no further: joining them all would double what they take. */
const parcelSize = 1024 * 1024;
/** A text up to this size is written at once. */
const wholeSize = 128 * 1024;
/** A larger one leaves in pieces: each that is taken shows that the other side reads. */
const pieceSize = 64 * 1024;

export function createPipeWriter(options: PipeWriterOptions, ports: PipeWriterPorts): PipeWriter {
  const { output, maxWaiting = defaultMaxWaiting, stalledMs = 30_000, flushMs = 1000 } = options;
  const { holdBackAt = Number.POSITIVE_INFINITY } = options;
  const write = options.write ?? ((data, done) => output.write(data, 'utf8', done));
  const queue = createQueue();
  let state: 'clear' | 'flushing-soon' | 'blocked' | 'gone' = 'clear';
  let held = false;
  let ended: ((lost?: TenonError) => void) | undefined;
  let bound: NodeJS.Timeout | undefined;
  /** How often the output has said that it has room again. */
  let drains = 0;
  let watch: NodeJS.Timeout | undefined;

  function flush(): void {
    // Streams in one process hand on at once what is written, and whoever hears it may send from there.
    state = 'clear';
    for (let piece = queue.next(); piece !== undefined; piece = queue.next()) {
      if (write(piece)) continue;
      state = 'blocked';
      watch ??= setTimeout(look, stalledMs, drains).unref();
      return;
    }
    if (held) {
      held = false;
      ports.release();
    }
    if (ended !== undefined) write('', () => finish());
  }

  /** Whoever has taken nothing since the last look, and has much to take, does not read. */
  function look(before: number): void {
    watch = undefined;
    if (state !== 'blocked') return;
    if (drains === before && queue.size > maxWaiting / 4) fail(stalled(queue.size, stalledMs));
    else watch = setTimeout(look, stalledMs, drains).unref();
  }

  /** Nothing more is written. */
  function fail(error?: TenonError): void {
    state = 'gone';
    queue.clear();
    clearTimeout(watch);
    if (ended === undefined) ports.failed(error);
    else finish(error);
  }

  function finish(lost?: TenonError): void {
    state = 'gone';
    clearTimeout(bound);
    const done = ended;
    ended = undefined;
    done?.(lost);
  }

  const flushNow = (): void => {
    if (state === 'flushing-soon') flush();
  };
  const drained = (): void => {
    drains++;
    bound?.refresh();
    if (state === 'blocked') flush();
  };
  const outputFailed = (error: NodeJS.ErrnoException): void => fail(hasLeft(error) ? undefined : broken(error));
  output.on('drain', drained).on('error', outputFailed);

  return {
    put(frame) {
      // Where the channel stays open without its output, what is sent has nowhere to go.
      if (state === 'gone') return;
      // A frame by itself is as large as the limits of messages let it be.
      if (queue.size > 0 && queue.size + frame.length > maxWaiting) {
        const error = tooSlow(queue.size + frame.length, maxWaiting);
        fail(error);
        throw error;
      }
      queue.add(frame);
      if (!held && queue.size > holdBackAt) {
        held = true;
        ports.hold();
      }
      if (state !== 'clear') return;
      state = 'flushing-soon';
      setImmediate(flushNow);
    },
    flushNow,
    end(done) {
      if (state === 'gone') return done();
      ended = done;
      bound = setTimeout(() => finish(unread(flushMs)), flushMs);
      if (state !== 'blocked') flush();
    },
    letGo() {
      clearTimeout(watch);
      output.off('drain', drained);
      // The error of a write is emitted after the write has been called back.
      if (output.errored === null) output.off('error', outputFailed);
    },
  };
}

/** Lines that wait to be offered to the output, the next piece first. */
interface Queue {
  /** Characters that wait, but for the rest of a text that is being offered. */
  readonly size: number;
  add(frame: string): void;
  next(): string | Uint8Array | undefined;
  clear(): void;
}

function createQueue(): Queue {
  let size = 0;
  let text = '';
  let parcels: string[] = [];
  let rest: Uint8Array | undefined;

  function nextText(): string {
    const parcel = parcels.shift();
    const next = parcel ?? text;
    if (parcel === undefined) text = '';
    size -= next.length;
    return next;
  }

  return {
    get size() {
      return size;
    },
    add(frame) {
      text += `${frame}\n`;
      size += frame.length + 1;
      if (text.length < parcelSize) return;
      parcels.push(text);
      text = '';
    },
    next() {
      if (rest === undefined) {
        const next = nextText();
        if (next.length <= wholeSize) return next === '' ? undefined : next;
        rest = Buffer.from(next);
      }
      const piece = rest.subarray(0, pieceSize);
      rest = rest.length > pieceSize ? rest.subarray(pieceSize) : undefined;
      return piece;
    },
    clear() {
      size = 0;
      text = '';
      parcels = [];
      rest = undefined;
    },
  };
}

/** The other side has gone, which is an end like any other. */
export const hasLeft = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';

export const broken = (cause: Error): TenonError =>
  new TenonError('connection-closed', `A pipe broke: ${cause.message}.`, { cause });

const tooSlow = (waiting: number, maxWaiting: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, over the limit of ${maxWaiting}.`, {
    hint: 'The other side has to read; the connection ends.',
    details: { waiting, maxWaiting },
  });

const stalled = (waiting: number, stalledMs: number): TenonError =>
  new TenonError('queue-full', `${waiting} characters wait to be written, and none was read for ${stalledMs} ms.`, {
    hint: 'The other side has to read; the connection ends.',
    details: { waiting, stalledMs },
  });

const unread = (flushMs: number): TenonError =>
  new TenonError('connection-closed', `The other side did not read the last that was sent to it for ${flushMs} ms.`, {
    hint: 'It has to read until the end, or the rest is lost.',
    details: { flushMs },
  });
