/** The options of an HTTP endpoint, and their defaults. */

import { completeLimits, defaultLimits, type MessageLimits, serverLimits } from '../../jsonrpc/limits.ts';
import type { Logger } from '../../lib/errors/logger.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Store } from '../../store/store.ts';
import type { Tap } from '../../transport/tap.ts';
import type { Authenticate } from '../ports/authenticate.ts';
import type { GuardOptions } from './admission/host-and-origin.ts';

/** The options that `serveHttp`, `toNodeHandler` and `toFetchHandler` share. `Raw` is the request as the runtime has it: `IncomingMessage` on Node, `Request` in a fetch handler. */
export interface HttpOptions<Raw = unknown> extends GuardOptions {
  /** Returns the principal of a request; without one, or with a challenge, the request is refused. By default every request is admitted. */
  readonly authenticate?: Authenticate<Raw>;
  /**
   * Proxies whose `X-Forwarded-For` and `Forwarded` are believed, by address or network: `['10.0.0.0/8']`; `'*'` for every
   * sender. Callers without a principal count by address. Default none: the address of the connection counts.
   */
  readonly trustedProxies?: readonly string[] | '*';
  /**
   * Where sessions, events and used keys are stored. Endpoints that share a store and the `secrets` of their server serve
   * the same sessions. Default: memory of this process.
   */
  readonly store?: Store;
  /** Sessions for clients of the protocol versions that begin with a handshake. `false` serves those clients without sessions. By default there are sessions. */
  readonly sessions?: false | SessionOptions;
  /** Limits on sizes and numbers. */
  readonly limits?: HttpLimits;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: HttpTimeouts;
  /** Whether a message with duplicate keys is rejected. Default false: the last of them counts. */
  readonly strict?: boolean;
  /** Sees every message and HTTP request, as it was sent. Secrets are not removed. */
  readonly tap?: Tap;
  /** Logs sessions that open and end, refused requests and warnings; a pino instance fits. By default nothing is logged. */
  readonly logger?: Logger;
  /** Called when a message is dropped, a slow client is disconnected, or a callback or the store fails. The service continues. */
  readonly onWarning?: (error: TenonError) => void;
}

/** How many sessions there are, and when they end. */
export interface SessionOptions {
  /**
   * Sessions at once, including those of HTTP+SSE; beyond it, unused ones are closed, then `initialize` gets 503. One caller
   * may have as many as it leaves free, so half of them; beyond it, 429. Default 10,000.
   */
  readonly maxCount?: number;
  /** How long an unused session stays open. Default 30 minutes. */
  readonly idleTimeoutMs?: number;
  /** How long a session stays open at most, used or not; `Infinity` for no limit. Default 7 days. */
  readonly maxAgeMs?: number;
}

/** Limits of an HTTP endpoint. */
export interface HttpLimits extends Partial<MessageLimits> {
  /** Bytes of one request body; beyond it, the request gets 413. Default 4 Mi, or `maxMessageChars` where that is larger. */
  readonly maxBodyBytes?: number;
  /** Characters of one message. Default 4 Mi, or `maxBodyBytes` where that is larger. */
  readonly maxMessageChars?: number;
  /** Levels of nested objects and lists in a message; at most 1000. Default 128. */
  readonly maxDepth?: number;
  /** Messages in one batch. Default 100. */
  readonly maxBatch?: number;
  /** Objects, lists, texts, numbers, booleans and nulls in one message of over 64 Ki characters. Default 100,000. */
  readonly maxValues?: number;
  /**
   * Calls at once of all clients, in sessions and without. One caller may have as many as it leaves free, so half of them.
   * Further calls wait for a slot (`maxQueuedCalls`, `timeouts.queueMs`). Default 10,000.
   */
  readonly maxConcurrentCalls?: number;
  /**
   * Calls of all clients that wait for a slot; callers take turns. One caller may have as many as it leaves free. Beyond
   * it, and after `timeouts.queueMs`, a call gets 503, or 429 if only its caller has too many. 0: none waits. Default 1000.
   */
  readonly maxQueuedCalls?: number;
  /**
   * Bytes of all requests of over 16 KiB that arrive or whose calls run, and of what sessions hold: the client's
   * information and subscriptions. Beyond it, 503. One caller may have as many as it leaves free, so half of them; beyond
   * it, 429. Default 128 Mi, or eight times `maxBodyBytes` where that is larger.
   */
  readonly maxTotalReceivedBytes?: number;
  /** Characters that wait for one slow client of a stream; beyond it, the client is disconnected. Default 4 Mi. */
  readonly maxQueuedChars?: number;
  /**
   * Characters that wait for all clients; beyond it, those that have read nothing for longest are disconnected. A fetch
   * handler counts streams only. Default 256 Mi, or `maxQueuedChars` where that is larger.
   */
  readonly maxTotalQueuedChars?: number;
  /** Characters stored of one stream, so that its client can resume it. The last event may be longer if the session has room. Default 1 Mi. */
  readonly maxStreamChars?: number;
  /**
   * Characters stored of all streams of one session, at least 1024. Beyond it, streams that have ended are deleted, the
   * first to end first; then the longest open streams lose their oldest events. A longer event is not stored.
   * Default 4 Mi, or `maxStreamChars` where that is larger.
   */
  readonly maxSessionChars?: number;
  /**
   * Characters stored of all streams of all sessions, at least 1024. Beyond it, streams that have ended are deleted, the
   * first to end first; then the oldest open streams lose their oldest events. Default 64 Mi, or `maxSessionChars` where
   * that is larger.
   */
  readonly maxTotalStoredChars?: number;
  /** Streams of one session that can be resumed. Default 64. */
  readonly maxStreams?: number;
}

/** Timeouts of an HTTP endpoint, in milliseconds. */
export interface HttpTimeouts {
  /** How long a request of the server, such as an elicitation, waits for its answer. Default 10 minutes. */
  readonly inputMs?: number;
  /** How often a silent stream gets a comment, so that no proxy closes it. Default 15 seconds. */
  readonly keepAliveMs?: number;
  /**
   * With a shared store: how long a node may be silent before others declare it dead and close its streams. It reports
   * three times as often. The same at all nodes. Default 15 seconds.
   */
  readonly deadNodeMs?: number;
  /** How long a call waits for a slot when too many run. Default 5 seconds. */
  readonly queueMs?: number;
  /** How long an operation of the store may take; then it fails with `store-timeout`. The first endpoint of a server sets it. Default 2 seconds. */
  readonly storeMs?: number;
  /** How long running calls may take to finish when the service closes. Default 5 seconds. */
  readonly shutdownMs?: number;
}

/** The options with their defaults. */
export interface HttpSettings {
  readonly sessions: Required<SessionOptions>;
  readonly limits: Required<HttpLimits>;
  readonly timeouts: Required<HttpTimeouts>;
}

const defaults: HttpSettings = {
  sessions: { maxCount: 10_000, idleTimeoutMs: 30 * 60_000, maxAgeMs: 7 * 24 * 60 * 60_000 },
  limits: {
    ...defaultLimits,
    ...serverLimits,
    maxBodyBytes: defaultLimits.maxMessageChars,
    maxConcurrentCalls: 10_000,
    maxQueuedCalls: 1000,
    maxTotalReceivedBytes: 128 * 1024 * 1024,
    maxQueuedChars: 4 * 1024 * 1024,
    maxTotalQueuedChars: 256 * 1024 * 1024,
    maxStreamChars: 1024 * 1024,
    maxSessionChars: 4 * 1024 * 1024,
    maxTotalStoredChars: 64 * 1024 * 1024,
    maxStreams: 64,
  },
  timeouts: {
    inputMs: 10 * 60_000,
    keepAliveMs: 15_000,
    deadNodeMs: 15_000,
    queueMs: 5000,
    storeMs: 2000,
    shutdownMs: 5000,
  },
};

export function completeSettings({ sessions, limits = {}, timeouts }: HttpOptions<never>): HttpSettings {
  return {
    sessions: withDefaults(defaults.sessions, sessions || {}),
    limits: completeHttpLimits(limits),
    timeouts: withDefaults(defaults.timeouts, timeouts ?? {}),
  };
}

/** Options that are `undefined` are not set. */
const withDefaults = <T extends object>(all: T, given: Partial<T>): T => ({
  ...all,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

/** Some limits come in pairs: raising one of a pair would have no effect, so the other is raised too. */
function completeHttpLimits(given: HttpLimits): Required<HttpLimits> {
  const limits = withDefaults(defaults.limits, given);
  const maxSessionChars = given.maxSessionChars ?? Math.max(limits.maxSessionChars, limits.maxStreamChars);
  const maxBodyBytes = given.maxBodyBytes ?? Math.max(limits.maxBodyBytes, limits.maxMessageChars);
  return {
    ...limits,
    maxBodyBytes,
    maxTotalReceivedBytes: given.maxTotalReceivedBytes ?? Math.max(limits.maxTotalReceivedBytes, 8 * maxBodyBytes),
    maxMessageChars: given.maxMessageChars ?? Math.max(limits.maxBodyBytes, limits.maxMessageChars),
    maxTotalQueuedChars: given.maxTotalQueuedChars ?? Math.max(limits.maxTotalQueuedChars, limits.maxQueuedChars),
    maxSessionChars,
    maxTotalStoredChars: given.maxTotalStoredChars ?? Math.max(limits.maxTotalStoredChars, maxSessionChars),
  };
}

/** The limits of messages, which all transports have. */
export const messageLimitsOf = ({ maxMessageChars, maxDepth, maxBatch, maxValues }: MessageLimits): MessageLimits =>
  completeLimits({ maxMessageChars, maxDepth, maxBatch, maxValues });
