/** The options of an HTTP endpoint, and the limits of it that no option sets. */

import type { MessageLimitOptions } from '../../jsonrpc/limits.ts';
import type { Logger } from '../../lib/errors/logger.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ServerCompat } from '../../protocol/dialects/compat-options.ts';
import type { Store } from '../../store/store.ts';
import type { Tap } from '../../transport/tap.ts';
import type { Authenticate } from '../ports/authenticate.ts';
import type { GuardOptions } from './admission/host-and-origin.ts';

/**
 * The options that `serveHttp`, `toNodeHandler` and `toFetchHandler` share. `Raw` is the request as the runtime has it: `IncomingMessage` on Node, `Request` in a fetch handler.
 * @area HTTP
 */
export interface HttpOptions<Raw = unknown> extends GuardOptions {
  /**
   * Returns the principal of a request; without one, or with a challenge, the request is refused.
   * @default off, every request is admitted
   */
  readonly authenticate?: Authenticate<Raw>;
  /**
   * Proxies whose `X-Forwarded-For` and `Forwarded` are believed, by address or network: `['10.0.0.0/8']`; `'*'` for every
   * sender. Callers without a principal count by address.
   * @default off, the address of the connection counts
   * @rule trustedProxies
   */
  readonly trustedProxies?: readonly string[] | '*';
  /**
   * Where sessions, events and used keys are stored. Endpoints that share a store and the `secrets` of their server serve
   * the same sessions.
   * @default computed memory of this process
   * @rule storeRule
   */
  readonly store?: Store;
  /** Sessions for clients of the protocol versions that begin with a handshake. `false` serves those clients without sessions. By default there are sessions, except in workers of Cloudflare, which cannot have any. */
  readonly sessions?: false | SessionOptions;
  /** Limits on sizes and numbers. */
  readonly limits?: HttpLimits;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: HttpTimeouts;
  /**
   * Whether a message with duplicate keys is rejected. Otherwise the last of them counts.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * For clients that differ from the specification, instead of `compat` of `createServer()`.
   * @default computed `compat` of the server
   * @rule serverCompatRule
   */
  readonly compat?: ServerCompat;
  /**
   * Sees every message and HTTP request, as it was sent. Secrets are not removed.
   * @default off
   */
  readonly tap?: Tap;
  /**
   * Logs sessions that open and end, refused requests and warnings; a pino instance fits.
   * @default off
   * @rule logger
   */
  readonly logger?: Logger;
  /**
   * Called when a message is dropped, a slow client is disconnected, or a callback or the store fails. The service continues.
   * @default off
   */
  readonly onWarning?: (error: TenonError) => void;
}

/**
 * How many sessions there are, and when they end.
 * @area HTTP
 */
export interface SessionOptions {
  /**
   * Sessions at once, including those of HTTP+SSE. One caller may have as many as it leaves free, so half of them; beyond
   * it, 429.
   * @default 10,000
   * @orInfinity
   * @beyond unused sessions close, the oldest first; else 503
   * @code overloaded, rate-limited
   */
  readonly maxCount?: number;
  /**
   * How long an unused session stays open.
   * @default 30 min
   * @orInfinity
   * @beyond the session closes; then 404
   */
  readonly idleTimeoutMs?: number;
  /**
   * How long a session stays open at most, used or not.
   * @default 7 days
   * @orInfinity
   * @beyond the session closes; then 404
   */
  readonly maxAgeMs?: number;
}

/**
 * Limits of an HTTP endpoint.
 * @area HTTP
 */
export interface HttpLimits extends MessageLimitOptions {
  /**
   * Bytes of one request body.
   * @default computed 4 Mi, or `maxMessageChars` where that is larger
   * @beyond 413
   */
  readonly maxBodyBytes?: number;
  /**
   * Calls at once of all clients, in sessions and without. One caller may have as many as it leaves free, so half of them.
   * @default 10,000
   * @orInfinity
   * @beyond the call waits for a slot (`maxQueuedCalls`, `timeouts.queueMs`)
   */
  readonly maxConcurrentCalls?: number;
  /**
   * Calls of all clients that wait for a slot. Callers take turns. One caller may have as many as it leaves free. 0: none waits.
   * @default 1000
   * @least 0
   * @orInfinity
   * @beyond 503, or 429 if only its caller has too many
   * @code overloaded, rate-limited
   */
  readonly maxQueuedCalls?: number;
  /**
   * Memory for what all clients send, read slowly and could resume, in bytes. A sixth is for requests of over 16 KiB whose
   * calls run, and for what sessions hold; four sixths are for what waits for slow clients; a sixth is for stored events.
   * One caller may have as much of the first as it leaves free, so half of it. A larger machine raises it.
   * @default 768 Mi
   * @orInfinity
   * @beyond see the fixed shares below
   * @code overloaded, rate-limited, queue-full
   */
  readonly maxMemoryBytes?: number;
  /**
   * Characters that wait for one slow client of a stream.
   * @default 4 Mi
   * @orInfinity
   * @beyond a second to catch up, at eight times as much none; then it is disconnected
   * @code queue-full
   */
  readonly maxQueuedChars?: number;
  /**
   * Characters stored of all streams of one session; each event counts 64 beside its own. A longer event is not stored.
   * @default 4 Mi
   * @least 1024
   * @orInfinity
   * @beyond closed streams are dropped, then the oldest events of the longest ones
   */
  readonly maxSessionChars?: number;
}

/**
 * Characters stored of one stream, so that its client can resume it. The last event may be longer if the session has room.
 * @limit HttpLimits.maxStreamChars
 * @beyond the oldest events are dropped
 */
export const maxStreamChars = 1024 * 1024;

/**
 * Streams of one session that can be resumed.
 * @limit HttpLimits.maxStreams
 * @beyond the oldest closed streams are dropped
 */
export const maxStreams = 64;

/**
 * Bytes of large requests and of what sessions hold.
 * @limit HttpLimits.maxTotalReceivedBytes
 * @default computed a sixth of `limits.maxMemoryBytes`, and at least eight times `limits.maxBodyBytes`
 * @beyond 503; 429 where one caller has more than it leaves free
 * @code overloaded, rate-limited
 */
export const receivedShare = 1 / 6;

/**
 * Characters that wait for all clients. A fetch handler counts streams only.
 * @limit HttpLimits.maxTotalQueuedChars
 * @default computed four sixths of `limits.maxMemoryBytes`, two bytes for each, and at least `limits.maxQueuedChars`
 * @beyond those that have read nothing for longest are disconnected
 * @code queue-full
 */
export const queuedShare = 4 / 6;

/**
 * Characters stored of all streams of all sessions.
 * @limit HttpLimits.maxTotalStoredChars
 * @default computed a sixth of `limits.maxMemoryBytes`, two bytes for each, and at least `limits.maxSessionChars`
 * @beyond of the callers that store the most, closed streams are dropped, then the oldest events of the oldest ones
 */
export const storedShare = 1 / 6;

/**
 * Timeouts of an HTTP endpoint, in milliseconds.
 * @area HTTP
 */
export interface HttpTimeouts {
  /**
   * How long a request of the server, such as an elicitation, waits for its answer.
   * @default 10 min
   * @beyond `ctx.elicit` and the others throw
   * @code server-request-failed
   */
  readonly inputMs?: number;
  /**
   * How often a silent stream gets a comment, so that no proxy closes it.
   * @default 15 s
   */
  readonly keepAliveMs?: number;
  /**
   * How often the clients of sessions that listen for messages of the server are pinged.
   * @default off
   * @beyond a session whose client does not answer before the next ping ends
   */
  readonly pingIntervalMs?: number;
  /**
   * How long a node may be silent, with a shared store. It reports three times as often. The same at all nodes.
   * @default 15 s
   * @beyond other nodes declare it dead and close the streams of its calls
   * @code outcome-unknown
   */
  readonly deadNodeMs?: number;
  /**
   * How long a call waits for a slot when too many run.
   * @default 5 s
   * @beyond 429, or 503 if no slot is free
   * @code rate-limited, overloaded
   */
  readonly queueMs?: number;
  /**
   * How long an operation of the store may take. The first endpoint of a server sets it.
   * @default 2 s
   * @beyond it fails
   * @code store-timeout
   */
  readonly storeMs?: number;
  /**
   * How long running calls may take to finish when the service closes.
   * @default 5 s
   * @least 0
   * @beyond 503, and `ctx.signal` is aborted
   * @code overloaded
   */
  readonly shutdownMs?: number;
}
