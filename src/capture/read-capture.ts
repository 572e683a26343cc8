/** Reads a capture. One that was cut off is readable up to the last whole line. */
import { maxDepth } from '../jsonrpc/limits.ts';
import { exceededLimit } from '../jsonrpc/text-limits.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { isRecord } from '../lib/values/is.ts';
import type { TapEvent } from '../transport/tap.ts';
import { type CapturedEvent, type CaptureEnd, type CaptureHeader, captureVersion, knownKinds } from './format.ts';

/** A capture that was read. */
export interface ReadCapture {
  /** Its first line. */
  readonly header: CaptureHeader;
  /** Its events, in order; those of kinds that this version does not know are left out. */
  readonly events: readonly CapturedEvent[];
  /** Whether its last line is there. */
  readonly isComplete: boolean;
  /** Its last line. */
  readonly end?: CaptureEnd;
}

/**
 * Events of a capture that is read.
 * @limit capture
 * @beyond the capture is refused
 * @code invalid-capture
 */
const maxReadEvents = 1_000_000;

/**
 * Reads the text of a capture. Throws `invalid-capture` with the line, and `capture-too-new` for a newer version of the
 * format.
 */
export function readCapture(text: string): ReadCapture {
  const lines = text.split('\n');
  const header = headerIn(lines[0] ?? '');
  const events: CapturedEvent[] = [];
  let end: CaptureEnd | undefined;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue;
    if (end !== undefined) throw invalid(index, 'stands after the end');
    const isLast = index === lines.length - 1;
    if (isTooDeep(line)) throw invalid(index, `is nested deeper than ${maxLineDepth} levels`);
    const value = parsed(line);
    // A last line without a line break was cut off.
    if (value === undefined && isLast) break;
    if (!isRecord(value) || typeof value.kind !== 'string') throw invalid(index, 'is not an event');
    if (value.kind === 'end') end = value as unknown as CaptureEnd;
    else if (knownKinds.has(value.kind)) events.push(eventIn(value, index));
    if (events.length > maxReadEvents) throw invalid(index, `is beyond ${maxReadEvents} events, which is the limit`);
  }
  return { header, events, isComplete: end !== undefined, ...(end && { end }) };
}

/** The same for a file: errors have its name. */
export function readCaptureOf(name: string, text: string): ReadCapture {
  try {
    return readCapture(text);
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    const { code, message, hint, details } = error;
    const own = hint === undefined ? message : message.replace(` ${hint}`, '');
    throw new TenonError(code, `${name}: ${own}`, { ...(hint !== undefined && { hint }), details, cause: error });
  }
}

/** A message has up to 128 levels; its line has one more. */
const maxLineDepth = maxDepth + 8;

const isTooDeep = (line: string): boolean =>
  exceededLimit(line, { maxDepth: maxLineDepth, maxValues: Number.POSITIVE_INFINITY }) !== undefined;

function headerIn(line: string): CaptureHeader {
  const header = isTooDeep(line) ? undefined : parsed(line);
  if (!isRecord(header) || typeof header.capture !== 'number')
    throw new TenonError('invalid-capture', 'This is not a capture: its first line has no version.', {
      hint: 'Pass a file that `tenon record` has written.',
    });
  if (header.capture > captureVersion)
    throw new TenonError('capture-too-new', `The capture has version ${header.capture} of the format.`, {
      hint: `This version of Tenon reads version ${captureVersion}: update it.`,
      details: { version: header.capture, known: captureVersion },
    });
  return header as unknown as CaptureHeader;
}

function eventIn(value: Record<string, unknown>, index: number): CapturedEvent {
  const isNumbered = ['seq', 'ms', 'connection'].every((name) => typeof value[name] === 'number');
  if (!isNumbered) throw invalid(index, 'has no seq, ms or connection');
  const { kind, from } = value;
  if (kind === 'message' && from !== 'client' && from !== 'server') throw invalid(index, 'has no sender');
  if (kindsWithText.has(String(kind)) && typeof value.text !== 'string') throw invalid(index, 'has no text');
  return value as unknown as CapturedEvent;
}

const kindsWithText: ReadonlySet<string> = new Set([
  'process',
  'state',
  'warning',
  'close',
] satisfies TapEvent['kind'][]);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const invalid = (index: number, what: string): TenonError =>
  new TenonError('invalid-capture', `Line ${index + 1} of the capture ${what}.`, {
    hint: 'Record it again, or delete the lines from there on.',
    details: { line: index + 1 },
  });
