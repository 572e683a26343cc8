/** A tap receives the events of connections: each message as text, HTTP requests, state changes. It changes nothing. */
import type { RequestId } from '../jsonrpc/message.ts';

/** Receives every event of the connections that it is an option of, at once and in order. If it throws, it gets no more. */
export type Tap = (event: TapEvent) => void;

/** An event, with its place among all events of a tap. */
export type TapEvent = TapOccurrence & {
  /** Counts the events of a tap from 1. */
  readonly seq: number;
  /** When it happened, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Counts the connections of a tap from 1. */
  readonly connection: number;
};

/** One of the two sides of a connection. */
export type TapSide = 'client' | 'server';

/** How messages are carried. */
export type TapTransport = 'stdio' | 'http' | 'sse' | 'memory' | 'other';

/** What can happen on a connection. */
export type TapOccurrence =
  /** The first event of a connection: the side of the tap, and the peer. */
  | { readonly kind: 'open'; readonly side: TapSide; readonly transport: TapTransport; readonly peer: string }
  /** A message, as it was sent. `respondsTo` is the request in whose HTTP response it arrived. */
  | { readonly kind: 'message'; readonly from: TapSide; readonly text: string; readonly respondsTo?: RequestId }
  /** An HTTP request was sent (`request`), its response began (`head`) and ended (`end`), or there is none (`broke`). */
  | TapHttp
  /** The process of a server: started, a line that it wrote besides the protocol, and its exit. */
  | { readonly kind: 'process'; readonly phase: 'started' | 'stderr' | 'stdout' | 'exit'; readonly text: string }
  /** The state of a client: `connecting`, `ready`, … */
  | { readonly kind: 'state'; readonly text: string }
  /** Something was dropped or repaired. */
  | { readonly kind: 'warning'; readonly text: string }
  /** The last event of a connection, with the reason if there is one. */
  | { readonly kind: 'close'; readonly text: string };

/** An HTTP request, or a part of its response. */
export interface TapHttp {
  /** An HTTP request or response. */
  readonly kind: 'http';
  /** Counts the HTTP requests of a connection from 1. */
  readonly request: number;
  /** What happened. */
  readonly phase: 'request' | 'head' | 'end' | 'broke';
  /** The HTTP method of a request. */
  readonly method?: string;
  /** The path and query of a request. */
  readonly path?: string;
  /** The status of a response. */
  readonly status?: number;
  /** The headers of a request or a response, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Why there is no response. */
  readonly text?: string;
}

/** Reports what happens on one connection. */
export type ReportTap = (occurrence: TapOccurrence) => void;

/** One tap can be an option of many connections. */
interface Numbers {
  seq: number;
  connections: number;
  isDetached: boolean;
}

const numbersOf = new WeakMap<Tap, Numbers>();

/** Begins a connection of a tap. */
export function tapConnection(tap: Tap, now: () => number = Date.now): ReportTap {
  let numbers = numbersOf.get(tap);
  if (numbers === undefined) {
    numbers = { seq: 0, connections: 0, isDetached: false };
    numbersOf.set(tap, numbers);
  }
  const shared = numbers;
  const connection = ++shared.connections;
  return (occurrence) => {
    if (shared.isDetached) return;
    try {
      tap({ seq: ++shared.seq, at: now(), connection, ...occurrence });
    } catch {
      // An error of a tap must not affect the connection.
      shared.isDetached = true;
    }
  };
}
