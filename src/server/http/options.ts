/** What can be said of an endpoint, and what holds where nothing is said. */
import type { FrameOptions } from '../../jsonrpc/frame.ts';
import { defaultLimits } from '../../jsonrpc/limits.ts';
import type { Logger } from '../../jsonrpc/logger.ts';
import type { Store } from '../../store/store.ts';
import type { Authenticate } from './admission/authentication.ts';
import type { GuardOptions } from './admission/host-and-origin.ts';

export interface HttpOptions extends GuardOptions, FrameOptions {
  /** Finds out who sends a request: issuer and subject. Nobody, or a challenge, refuses it. Without, everybody is admitted. */
  readonly authenticate?: Authenticate;
  /** Where sessions are kept. Endpoints that share a store and `state.secrets` serve the same sessions. By default each has its own. */
  readonly store?: Store;
  /** Whether clients of the revisions with a handshake get sessions. Without, nothing is remembered between their requests. Default true. */
  readonly sessions?: boolean;
  /** Sessions at once, those of HTTP+SSE included. Default 10 000; who comes then is asked to come back. */
  readonly maxSessions?: number;
  /** How long a session lives that nobody uses. Default 30 minutes. */
  readonly idleMs?: number;
  /** How long a session lives at most, in use or not; `Infinity` sets no end. Default 7 days. */
  readonly lifetimeMs?: number;
  /** Calls at once of all clients that have no session. Default 10 000. */
  readonly maxRunning?: number;
  /** Characters that may wait for one reader of a stream. Default 4 Mi; then it is let go. */
  readonly maxWaiting?: number;
  /** Characters kept of one stream for a reader that comes back; its last event may be longer, where the session has capacity. Default 1 Mi. */
  readonly maxStreamChars?: number;
  /** Characters kept of all streams of one session; beyond, those that ended longest ago are forgotten, then the longest that go on lose their oldest events; a single event that is longer is not kept. At least 1024. Default 4 Mi, or `maxStreamChars` where that is more. */
  readonly maxSessionChars?: number;
  /** Streams of one session that can be taken up again. Default 64. */
  readonly maxStreams?: number;
  /** How often a silent stream gets a comment. Default 15 seconds. */
  readonly keepAliveMs?: number;
  /** How long a question may wait for its answer. Default 10 minutes. */
  readonly answerTimeoutMs?: number;
  /** Hears of what arrived and was dropped, and of readers that were let go. */
  readonly onWarning?: (error: Error) => void;
  /** Hears of sessions that begin and end, of requests that are refused, and of faults; a pino instance fits. */
  readonly logger?: Logger;
}

/** What has no default of its own. */
type Unsettled =
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'limits'
  | 'strict'
  | 'onWarning'
  | 'logger'
  | 'authenticate'
  | 'store';

export type HttpSettings = Required<Omit<HttpOptions, Unsettled>>;

export const defaultSettings: HttpSettings = {
  sessions: true,
  maxSessions: 10_000,
  idleMs: 30 * 60_000,
  lifetimeMs: 7 * 24 * 60 * 60_000,
  maxRunning: 10_000,
  maxWaiting: 4 * 1024 * 1024,
  maxStreamChars: 1024 * 1024,
  maxSessionChars: 4 * 1024 * 1024,
  maxStreams: 64,
  keepAliveMs: 15_000,
  answerTimeoutMs: 10 * 60_000,
};

export function completeSettings(options: HttpOptions): HttpOptions & HttpSettings {
  const settings = { ...defaultSettings, ...options };
  // A stream may store no more than its session: raising `maxStreamChars` alone raises both.
  const maxSessionChars = options.maxSessionChars ?? Math.max(settings.maxSessionChars, settings.maxStreamChars);
  return { ...settings, maxSessionChars };
}

/** The limits that a message of a body is held against: first its bytes, then its characters. */
interface BodyLimits extends FrameOptions {
  readonly maxBody?: number;
}

/** Raises the limit that is not given to the one that is: either alone would be of no effect. */
export function withAlikeLimits<T extends BodyLimits>(options: T): T {
  const { maxBody, limits } = options;
  const maxCharacters = limits?.maxMessageChars;
  if ((maxBody === undefined) === (maxCharacters === undefined)) return options;
  const larger = Math.max(maxBody ?? maxCharacters ?? 0, defaultLimits.maxMessageChars);
  return maxBody === undefined
    ? { ...options, maxBody: larger }
    : { ...options, limits: { ...limits, maxMessageChars: larger } };
}
