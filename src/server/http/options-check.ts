/** Checks the options of an endpoint when it is created, so that no request fails for them later. */

import { messageLimits } from '../../jsonrpc/limits.ts';
import {
  callback,
  checkOptions,
  count,
  countOrInfinity,
  duration,
  durationOrZero,
  type EntryProblem,
  flag,
  group,
  logger,
  type OtherNames,
  type Rule,
  type Rules,
} from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { eventOverhead } from '../../store/events/event-store.ts';
import { checkStore, storeRule } from '../kernel/store-check.ts';
import { hostProblem, originProblem } from './admission/allowed-entries.ts';
import { isNetwork } from './admission/gate/client-address.ts';

const durationOrInfinity: Rule = {
  holds: (value) => typeof value === 'number' && value > 0,
  must: 'be milliseconds over 0, or Infinity',
};

/** Whether a value is a list without a wrong entry. */
const hasOnly =
  (problemOf: (entry: unknown) => EntryProblem | undefined) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((entry) => problemOf(entry) === undefined);

/** Names are not accepted: the owner of a name can point it anywhere. */
const networkProblem = (entry: unknown): EntryProblem | undefined =>
  isNetwork(entry) ? undefined : { problem: 'is not an address or a network' };

/** Room for a few short events: with less, no event of a session would be stored. */
const minStoredChars = 1024;

const sessions = group({
  maxCount: countOrInfinity,
  idleTimeoutMs: durationOrInfinity,
  maxAgeMs: durationOrInfinity,
});

const storedChars: Rule = {
  holds: (value) => countOrInfinity.holds(value) && (value as number) >= minStoredChars,
  must: `be an integer, ${minStoredChars} or more; each event counts ${eventOverhead} beside its characters`,
};

const countOrZero: Rule = {
  holds: (value) => value === 0 || countOrInfinity.holds(value),
  must: 'be an integer of at least 0, or Infinity',
};

const limits = group({
  maxBodyBytes: count,
  ...messageLimits,
  maxConcurrentCalls: countOrInfinity,
  maxQueuedCalls: countOrZero,
  maxTotalReceivedBytes: countOrInfinity,
  maxQueuedChars: countOrInfinity,
  maxTotalQueuedChars: countOrInfinity,
  maxStreamChars: countOrInfinity,
  maxSessionChars: storedChars,
  maxTotalStoredChars: storedChars,
  maxStreams: countOrInfinity,
});

const timeouts: Rules = {
  inputMs: duration,
  keepAliveMs: duration,
  deadNodeMs: duration,
  queueMs: duration,
  storeMs: duration,
  shutdownMs: durationOrZero,
};

const rules: Rules = {
  allowedHosts: {
    holds: (value) => value === '*' || (hasOnly(hostProblem)(value) && (value as readonly string[]).length > 0),
    entry: hostProblem,
    must: "be a list of full names such as ['mcp.example'], without ports and in ASCII (xn--…), or '*' for every host",
  },
  allowedOrigins: {
    holds: hasOnly(originProblem),
    entry: originProblem,
    must: "be a list of origins such as ['https://app.example'], without a path",
  },
  authenticate: callback,
  trustedProxies: {
    holds: (value) => value === '*' || hasOnly(networkProblem)(value),
    entry: networkProblem,
    must: "be a list of addresses or networks such as ['10.0.0.0/8', '::1'], or '*' for every sender",
  },
  tap: callback,
  onWarning: callback,
  logger,
  store: storeRule,
  sessions: {
    ...sessions,
    holds: (value) => value === false || isRecord(value),
    must: `be false, or ${sessions.must.replace('be ', '')}`,
  },
  limits,
  strict: flag,
};

/** The names in Express, in the official SDK and in Node. */
const otherNames: OtherNames = {
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

/** Options and timeouts that a caller has besides those of every endpoint. */
interface OwnRules {
  readonly options?: Rules;
  readonly otherNames?: OtherNames;
  readonly timeouts?: Rules;
}

/** Throws `invalid-argument`. */
export function checkHttpOptions(caller: string, options: unknown, own: OwnRules = {}): void {
  const of = `${caller}()`;
  const all = { ...rules, timeouts: group({ ...timeouts, ...own.timeouts }), ...own.options };
  checkOptions(of, options, all, 'invalid-argument', { ...otherNames, ...own.otherNames });
  checkStore(of, (options as { store?: object | string }).store);
}
