/** Newline-delimited framing: reads whole lines from chunks of bytes, in time linear in their length. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { excerptsOf } from '../lib/text/excerpt.ts';
import { hold, joined } from '../lib/values/byte-pieces.ts';

export interface LineReaderOptions {
  /** The most bytes one line may have before its newline. Default 4 MiB. */
  maxBytes?: number;
  /** Called with each line that is not blank, without its line end. Must not throw. */
  line(text: string): void;
  /** Called with each blank line, which is no message. Must not throw. */
  blankLine?(text: string): void;
  /** Delivers blank lines and a byte order mark as they are, so that they are refused like any text that is no message. */
  strict?: boolean;
  /** Called with `message-too-large` or `invalid-utf8`, once for a bad line; reading continues with the next. Must not throw. */
  onWarning(error: TenonError): void;
  /** Turns the bytes of a whole line into text and throws where they are not UTF-8. A runtime may know a faster one. */
  decode?(bytes: Uint8Array): string;
  /** Puts pieces of so many bytes together. A runtime may know a faster way. */
  join?(pieces: readonly Uint8Array[], size: number): Uint8Array;
}

export interface LineReader {
  /** Takes the next bytes, cut anywhere. They belong to the reader from here on. */
  push(chunk: Uint8Array): void;
  /** No more bytes come: a last line without newline is delivered; later pushes do nothing. */
  end(): void;
}

type State =
  | { at: 'between' }
  /** The start of a line, in pieces of `size` bytes together. */
  | { at: 'inside'; pieces: Uint8Array[]; size: number }
  /** The rest of a line that is too long is skipped. */
  | { at: 'skipping' }
  | { at: 'ended' };

const between: State = { at: 'between' };
const skipping: State = { at: 'skipping' };
const ended: State = { at: 'ended' };

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = 0xfeff;

export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes = 4 * 1024 * 1024, decode = strictDecoder(), join = joined, strict = false } = options;
  let state: State = between;
  /** True until the first line was delivered: a byte order mark before it is dropped. */
  let atStart = true;

  /** Handles the next piece of a line: stores it, delivers the line, or reports it. */
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
      atStart = false;
      return options.onWarning(tooLarge(maxBytes));
    }
    const pieces = before.at === 'inside' ? before.pieces : [];
    if (piece.length > 0) hold(pieces, piece);
    if (!last) {
      state = { at: 'inside', pieces, size };
      return;
    }
    state = between;
    takeLines(pieces.length === 1 ? (pieces[0] as Uint8Array) : join(pieces, size));
  }

  /** Whole lines, the newlines between them included: read at once, or one by one where that fails. */
  function takeLines(bytes: Uint8Array): void {
    if (state.at === 'ended') return;
    let text: string;
    try {
      text = decode(bytes);
    } catch (cause) {
      if (bytes.includes(newline)) return eachLine(bytes, takeLines);
      atStart = false;
      return options.onWarning(notUtf8(bytes, cause));
    }
    if (atStart && !strict && text.charCodeAt(0) === byteOrderMark) text = text.slice(1);
    atStart = false;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      emit(text.slice(start, end));
      start = end + 1;
    }
    emit(start === 0 ? text : text.slice(start));
  }

  function emit(line: string): void {
    const last = line.length - 1;
    const text = line.charCodeAt(last) === carriageReturn ? line.slice(0, last) : line;
    if (state.at === 'ended') return;
    if (!strict && isBlank(text)) options.blankLine?.(text);
    else options.line(text);
  }

  return {
    push(chunk) {
      if (state.at === 'ended') return;
      const first = state.at === 'between' ? -1 : chunk.indexOf(newline);
      if (state.at !== 'between') take(first === -1 ? chunk : chunk.subarray(0, first), first !== -1);
      if (state.at !== 'between') return;
      const last = chunk.lastIndexOf(newline);
      if (last > first) {
        const whole = chunk.subarray(first + 1, last);
        if (whole.length <= maxBytes) takeLines(whole);
        else eachLine(whole, (line) => take(line, true));
      }
      if (last + 1 < chunk.length) take(chunk.subarray(last + 1), false);
    },
    end() {
      if (state.at === 'inside') take(new Uint8Array(0), true);
      state = ended;
    },
  };
}

function eachLine(bytes: Uint8Array, take: (line: Uint8Array) => void): void {
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    take(bytes.subarray(start, end));
    start = end + 1;
  }
  take(bytes.subarray(start));
}

function strictDecoder(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

/** JSON rarely begins with a space, so most lines need no `trim`. */
const isBlank = (text: string): boolean => (text.charCodeAt(0) <= 0x20 ? text.trim() === '' : text === '');

const tooLarge = (maxBytes: number): TenonError =>
  new TenonError('message-too-large', `A line has more than ${maxBytes} bytes and was dropped.`, {
    hint: 'Send smaller messages, or raise maxBytes of the line reader.',
    details: { maxBytes },
  });

/** Bytes of a line that are read for its excerpt; invalid ones are shown as U+FFFD. */
const shownBytes = 400;

const notUtf8 = (bytes: Uint8Array, cause: unknown): TenonError => {
  const { line } = excerptsOf(new TextDecoder().decode(bytes.subarray(0, shownBytes)));
  return new TenonError('invalid-utf8', `A line of ${bytes.length} bytes is not UTF-8 and was dropped.`, {
    hint: 'The sender must encode messages as UTF-8.',
    details: { bytes: bytes.length, line },
    cause,
  });
};
