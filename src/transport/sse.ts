/** Server-sent events: writes events as text, and reads them from chunks that may be cut anywhere. */

import { createParser } from 'eventsource-parser';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { excerpt } from '../lib/text/excerpt.ts';
import { KnownLines, type LineProblem } from './known-lines.ts';

export interface ServerSentEvent {
  /** May have several lines; any line break arrives as `\n`. */
  data: string;
  /** The type; absent means `message`. */
  event?: string;
  /** The position from which a reader that lost the stream resumes; an empty one clears it. */
  id?: string;
}

export interface OutgoingEvent extends ServerSentEvent {
  /** Whole milliseconds that the reader should wait before it connects again. */
  retry?: number;
}

const lineBreak = /\r\n|\r|\n/;

/** One event as text. Throws `invalid-outgoing-message` for a field the format cannot carry. */
export function formatEvent({ data, event, id, retry }: OutgoingEvent): string {
  let text = '';
  if (id !== undefined) text += `id: ${oneLine('id', id)}\n`;
  if (event !== undefined) text += `event: ${oneLine('event', event)}\n`;
  if (retry !== undefined) text += `retry: ${wholeNumber(retry)}\n`;
  if (!lineBreak.test(data)) return `${text}data: ${data}\n\n`;
  for (const line of data.split(lineBreak)) text += `data: ${line}\n`;
  return `${text}\n`;
}

/** A comment as text; readers ignore it, so it keeps a connection open. */
export function formatComment(comment: string): string {
  return `${comment
    .split(lineBreak)
    .map((line) => `: ${line}\n`)
    .join('')}\n`;
}

function oneLine(field: string, value: string): string {
  if (!/[\r\n\0]/.test(value)) return value;
  throw new TenonError(
    'invalid-outgoing-message',
    `The ${field} of a server-sent event has a line break or a NUL in it.`,
    {
      hint: 'Use printable characters.',
      details: { field, value },
    },
  );
}

function wholeNumber(retry: number): number {
  if (Number.isSafeInteger(retry) && retry >= 0) return retry;
  throw new TenonError('invalid-outgoing-message', `The retry of a server-sent event is ${retry}.`, {
    hint: 'Give whole milliseconds, zero or more.',
  });
}

export interface EventReaderOptions {
  /** The most bytes one event may have as sent, all its lines and line ends (each as one) counted. Default 4 MiB. */
  maxBytes?: number;
  /** Called with each whole event. Must not throw, and neither must the other callbacks. */
  event(event: ServerSentEvent): void;
  comment?(text: string): void;
  retry?(ms: number): void;
  /**
   * Called with `message-too-large` once for an event over the limit, which is skipped, and `invalid-message` for a line
   * that is not part of the format, which is ignored; of one stream the first hundred are reported. Reading continues; the owner may end it instead.
   */
  onWarning(error: TenonError): void;
}

export interface EventReader {
  /** The id of the last event that had one; empty when there is none. */
  readonly lastEventId: string;
  /** Reads the next part of the stream. Bytes are UTF-8; invalid ones become U+FFFD, as the standard requires. */
  push(chunk: Uint8Array | string): void;
  /** Ends the stream. An event without its blank line is dropped, as the standard requires. */
  end(): void;
}

type State =
  /** `size` bytes of the current event have arrived. */
  | { at: 'reading'; size: number }
  /** The rest of an event that is too large is skipped. */
  | { at: 'skipping' }
  | { at: 'ended' };

const freshEvent: State = { at: 'reading', size: 0 };

export function createEventReader(options: EventReaderOptions): EventReader {
  const { maxBytes = 4 * 1024 * 1024, comment, retry } = options;
  const decoder = new TextDecoder();
  let state: State = freshEvent;
  let lastEventId = '';
  /** The last character so far: the next can be the other half of its CRLF. */
  let received = '';
  /** The last one that was taken: the next can end the event. */
  let previous = '';
  const lines = new KnownLines((problem, line) => {
    if (state.at !== 'ended') options.onWarning(ignoredLine(problem, line));
  });

  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ data, event, id }) {
      if (id !== undefined) lastEventId = id;
      options.event({ data, ...(event !== undefined && { event }), ...(id !== undefined && { id }) });
    },
    onError: () => options.onWarning(tooLarge(maxBytes)),
    ...(comment !== undefined && { onComment: (text) => comment(text) }),
    ...(retry !== undefined && { onRetry: (ms) => retry(ms) }),
  });

  /** Handles the next piece of an event. */
  function take(piece: string, last: boolean): void {
    // A listener may end the reader in the middle of a chunk.
    if (state.at === 'ended') return;
    if (state.at === 'skipping') {
      if (last) state = freshEvent;
      return;
    }
    // An event that ends far under the limit needs no exact count: a character has at most three bytes a unit.
    const surelyFits = last && state.size + piece.length * 3 <= maxBytes;
    const size = surelyFits ? 0 : state.size + byteLength(piece);
    if (size > maxBytes) {
      state = last ? freshEvent : { at: 'skipping' };
      parser.reset();
      return options.onWarning(tooLarge(maxBytes));
    }
    state = last ? freshEvent : { at: 'reading', size };
    parser.feed(piece);
  }

  function takeText(text: string): void {
    let start = 0;
    while (start < text.length) {
      const end = eventEnd(text, start, previous);
      const piece = text.slice(start, end ?? text.length);
      previous = piece.charAt(piece.length - 1);
      take(piece, end !== undefined);
      start += piece.length;
    }
  }

  return {
    get lastEventId() {
      return lastEventId;
    },
    push(chunk) {
      const raw = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      if (raw === '') return;
      takeText(lines.read(toLineFeeds(raw, received)));
      received = raw.charAt(raw.length - 1);
    },
    end() {
      state = { at: 'ended' };
      parser.reset();
    },
  };
}

/** CR and CRLF as LF. The parser then reads in linear time and need not wait to see whether a CR is a line end. */
function toLineFeeds(raw: string, previous: string): string {
  let text = raw;
  if (previous === '' && text.startsWith('\uFEFF')) text = text.slice(1);
  if (previous === '\r' && text.startsWith('\n')) text = text.slice(1);
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The offset after the blank line that ends the event; `undefined` if the text from `start` has none. */
function eventEnd(text: string, start: number, previous: string): number | undefined {
  if (text.startsWith('\n', start) && isLineStart(previous)) return start + 1;
  const blank = text.indexOf('\n\n', start);
  return blank === -1 ? undefined : blank + 2;
}

const isLineStart = (previous: string): boolean => previous === '' || previous === '\n' || previous === '\r';

/** How many bytes the text has in UTF-8. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Half of a surrogate pair is two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Quotes the name of the field alone: the line may be long. */
function ignoredLine(problem: LineProblem, line: string): TenonError {
  const [field = '', value = ''] = line.split(/: ?(.*)/s);
  const what =
    problem === 'invalid-retry'
      ? `Invalid \`retry\` value: "${value}"`
      : `Unknown field "${field.length > 20 ? `${field.slice(0, 20)}…` : field}"`;
  return new TenonError('invalid-message', `A line of the event stream was ignored: ${excerpt(what, 200)}.`, {
    hint: 'Check that the answer is text/event-stream.',
    details: { problem },
  });
}

const tooLarge = (maxBytes: number): TenonError =>
  new TenonError('message-too-large', `An event has more than ${maxBytes} bytes and was dropped.`, {
    hint: 'Send smaller messages, or raise maxBytes of the event reader.',
    details: { maxBytes },
  });
