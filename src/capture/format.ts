/** The format of captures: NDJSON, one event a line, versioned. Files are named `*.mcp.ndjson`. */
import type { RequestId } from '../jsonrpc/message.ts';
import type { TapEvent, TapOccurrence } from '../transport/tap.ts';

/** The version of the format. A newer one is refused; unknown kinds of events are skipped. */
export const captureVersion = 1;

/** The version of the rules by which secrets are removed. */
export const redactionVersion = 1;

/** The first line. */
export interface CaptureHeader {
  /** The version of the format. */
  readonly capture: number;
  /** The program that made it, with its version. */
  readonly by: string;
  /** When it began, as an ISO date. */
  readonly made: string;
  /** The version of the rules by which secrets were removed. */
  readonly redaction: number;
}

/** A message in a capture: parsed, or the beginning of a text that is no JSON. */
export interface CapturedMessage {
  /** A message. */
  readonly kind: 'message';
  /** The side that sent it. */
  readonly from: 'client' | 'server';
  /** The message, or a batch of them. */
  readonly m?: unknown;
  /** The beginning of a text that is not JSON. */
  readonly raw?: string;
  /** The request in whose HTTP response it arrived. */
  readonly respondsTo?: RequestId;
}

/** An event in a capture: as a tap has seen it, without secrets. */
export type CapturedEvent = (CapturedMessage | Exclude<TapOccurrence, { kind: 'message' }>) & {
  /** Counts the events of the capture from 1. */
  readonly seq: number;
  /** Milliseconds since the capture began. */
  readonly ms: number;
  /** Counts the connections of the capture from 1. */
  readonly connection: number;
};

/** The last line; a capture without it was cut off. */
export interface CaptureEnd {
  /** The end. */
  readonly kind: 'end';
  /** How many events there are. */
  readonly events: number;
  /** The SHA-256 of all bytes before this line, in hexadecimal. */
  readonly sha256?: string;
}

/** The kinds of events that this version knows. */
export const knownKinds: ReadonlySet<string> = new Set<TapEvent['kind']>([
  'open',
  'message',
  'http',
  'process',
  'state',
  'warning',
  'close',
]);

/**
 * Characters that are stored of a text that is not JSON.
 * @limit capture
 * @beyond the rest is left out
 */
export const maxRawChars = 256;
