/** Newline-delimited framing: bytes in, whole lines out, in time linear in their length however they are cut. */

import { TenonError } from '../jsonrpc/errors.ts';

export interface LineReaderOptions {
  /** The most bytes one line may have before its newline. Default 4 MiB: well over any sane message. */
  maxBytes?: number;
  /** Hears each line that is not blank, without its line end. Must not throw. */
  line(text: string): void;
  /** Hears `frame-too-large` or `invalid-utf8`, once for a bad line; reading goes on with the next. Must not throw. */
  fault(error: TenonError): void;
  /** Turns the bytes of a whole line into text and throws where they are not UTF-8. A runtime may know a faster one. */
  decode?(bytes: Uint8Array): string;
}

export interface LineReader {
  /** Takes the next bytes, cut anywhere. They may be overwritten afterwards. */
  push(chunk: Uint8Array): void;
  /** No more bytes come: a last line without newline is delivered; later pushes do nothing. */
  end(): void;
}

type State =
  | { at: 'between' }
  /** The start of a line is held in the first `size` bytes of `held`. */
  | { at: 'inside'; held: Uint8Array; size: number }
  /** The rest of a line that is too long is passed over. */
  | { at: 'skipping' }
  | { at: 'ended' };

const between: State = { at: 'between' };
const skipping: State = { at: 'skipping' };
const ended: State = { at: 'ended' };

const newline = 0x0a;
const carriageReturn = 0x0d;

export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes = 4 * 1024 * 1024, decode = strictDecoder() } = options;
  let state: State = between;

  /** Where the state goes when the next piece of a line arrives, and what is heard of it. */
  function take(piece: Uint8Array, last: boolean): void {
    const before = state;
    // A listener may end the reader in the middle of a chunk.
    if (before.at === 'ended') return;
    if (before.at === 'skipping') {
      if (last) state = between;
      return;
    }
    const size = before.at === 'inside' ? before.size + piece.length : piece.length;
    if (size > maxBytes) {
      state = last ? between : skipping;
      return options.fault(tooLarge(maxBytes));
    }
    if (!last) {
      state = { at: 'inside', held: hold(before, piece, maxBytes), size };
      return;
    }
    state = between;
    emit(before.at === 'inside' ? hold(before, piece, maxBytes).subarray(0, size) : piece);
  }

  function emit(line: Uint8Array): void {
    if (line.every(isSpace)) return;
    let text: string;
    try {
      text = decode(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line);
    } catch (cause) {
      return options.fault(notUtf8(line.length, cause));
    }
    options.line(text);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end), true);
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start), false);
    },
    end() {
      if (state.at === 'inside') take(new Uint8Array(0), true);
      state = ended;
    },
  };
}

/**
 * Copies the piece behind what is held. Room doubles, so that all copies together are linear in the line's length and
 * a line that drips in byte by byte never costs more than twice the limit.
 */
function hold(before: State, piece: Uint8Array, maxBytes: number): Uint8Array {
  // Not slice(): on Node a Buffer's slice shares the sender's memory.
  if (before.at !== 'inside') return new Uint8Array(piece);
  const size = before.size + piece.length;
  let { held } = before;
  if (size > held.length) {
    held = new Uint8Array(Math.min(Math.max(size, held.length * 2, 256), maxBytes));
    held.set(before.held.subarray(0, before.size));
  }
  held.set(piece, before.size);
  return held;
}

function strictDecoder(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (bytes) => decoder.decode(bytes);
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === carriageReturn;

const tooLarge = (maxBytes: number): TenonError =>
  new TenonError('frame-too-large', `A line has more than ${maxBytes} bytes and was passed over.`, {
    hint: 'Send smaller messages, or raise maxBytes of the line reader.',
    details: { maxBytes },
  });

const notUtf8 = (bytes: number, cause: unknown): TenonError =>
  new TenonError('invalid-utf8', `A line of ${bytes} bytes is not UTF-8 and was passed over.`, {
    hint: 'The sender must encode messages as UTF-8.',
    details: { bytes },
    cause,
  });

/** The frame with the newline that ends it. Throws `invalid-outgoing` for a frame that holds a line break itself. */
export function writeLine(frame: string): string {
  if (frame.includes('\n') || frame.includes('\r')) {
    throw new TenonError('invalid-outgoing', 'A frame with a raw line break in it would be read as several.', {
      hint: 'Write it with JSON.stringify and no indentation.',
    });
  }
  return `${frame}\n`;
}
