/** The settings of an HTTP endpoint: its options with their defaults, and the limits that follow from them. */
import { defaultLimits, type MessageLimits, valuesFor } from '../../jsonrpc/limits.ts';
import { type OtherNames, wrong } from '../../lib/options/option-rules.ts';
import { defaultsOf, type Filled, readOptions } from '../../lib/options/read-options.ts';
import type { ServerInternals } from '../internals.ts';
import { checkStore } from '../kernel/store-check.ts';
import { type OfferedRevisions, withCompat } from '../lifecycle/offered-revisions.ts';
import { httpOptions, sessionOptions } from './options.table.ts';
import { type HttpOptions, queuedShare, receivedShare, storedShare } from './options.ts';

type Read<Raw> = Filled<HttpOptions<Raw>, typeof httpOptions>;

/** All limits of an endpoint, those of messages included. */
type HttpLimitSettings = { readonly [K in keyof Read<never>['limits'] | keyof MessageLimits]: number };

/** `sessions` also limits HTTP+SSE, which is served without sessions too. */
interface Completed {
  readonly hasSessions: boolean;
  readonly sessions: Exclude<Read<never>['sessions'], false>;
  readonly limits: HttpLimitSettings;
}

export type HttpSettings<Raw = never> = Omit<Read<Raw>, 'limits' | 'sessions'> & Completed;

/** The names in Express, in the official SDK and in Node. */
export const otherNames: OtherNames = {
  cors: 'allowedOrigins',
  origin: 'allowedOrigins',
  origins: 'allowedOrigins',
  hosts: 'allowedHosts',
  auth: 'authenticate',
  eventStore: 'store',
  sessionStore: 'store',
  trustProxy: 'trustedProxies',
  proxies: 'trustedProxies',
};

/** Throws `invalid-argument`, so that no request fails for an option later. */
export function readHttpOptions<Raw>(of: string, options: HttpOptions<Raw>): HttpSettings<Raw> {
  const read = readOptions(of, httpOptions, options, otherNames);
  checkStore(of, read.store);
  return completed(read);
}

/** Adds the limits that follow from others. */
export const completed = <T extends Pick<Read<never>, 'limits' | 'sessions'>>(
  read: T,
): Omit<T, 'limits' | 'sessions'> & Completed => ({
  ...read,
  limits: completeLimits(read.limits),
  hasSessions: read.sessions !== false,
  sessions: read.sessions === false ? defaultsOf(sessionOptions) : read.sessions,
});

/** A character of a text in memory. */
const bytesOfChar = 2;

/** Body and message come in a pair: raising one would have no effect, so the other is raised too. */
function completeLimits(read: Read<never>['limits']): HttpLimitSettings {
  const { maxMemoryBytes, maxQueuedChars, maxSessionChars } = read;
  const set = Math.max(read.maxBodyBytes ?? 0, read.maxMessageChars ?? 0);
  const larger = Math.max(set, defaultLimits.maxMessageChars);
  const { maxBodyBytes = larger, maxMessageChars = larger } = read;
  return {
    ...read,
    maxBodyBytes,
    maxMessageChars,
    maxValues: read.maxValues ?? valuesFor('server', maxMessageChars, defaultLimits.maxMessageChars),
    maxTotalReceivedBytes: read.maxTotalReceivedBytes ?? Math.max(maxMemoryBytes * receivedShare, 8 * maxBodyBytes),
    maxTotalQueuedChars:
      read.maxTotalQueuedChars ?? Math.max((maxMemoryBytes * queuedShare) / bytesOfChar, maxQueuedChars),
    maxTotalStoredChars:
      read.maxTotalStoredChars ?? Math.max((maxMemoryBytes * storedShare) / bytesOfChar, maxSessionChars),
  };
}

/** The revisions of an endpoint: those of its server, in the dialects of the endpoint. */
export function offeredHere({ offered }: ServerInternals, { compat, hasSessions }: HttpSettings): OfferedRevisions {
  const here = withCompat(offered, compat, 'serveHttp()');
  if (here.compatFor !== undefined && !hasSessions)
    throw wrong('serveHttp()', 'compat', 'be no function where there are no sessions: it is called when one begins');
  return here;
}

/** The limits of messages, which all transports have. */
export const messageLimitsOf = ({ maxMessageChars, maxDepth, maxBatch, maxValues }: MessageLimits): MessageLimits => ({
  maxMessageChars,
  maxDepth,
  maxBatch,
  maxValues,
});
