/** Checks the options of an endpoint when it is created, so that no request fails for them later. */
import {
  callback,
  checkOptions,
  count,
  countOrInfinity,
  duration,
  durationOrZero,
  flag,
  group,
  has,
  isObject,
  logger,
  messageLimits,
  type Rule,
  type Rules,
  wrong,
} from '../../protocol/option-rules.ts';
import { type EventStore, eventOverhead } from '../../store/event-store.ts';
import type { MessageBus } from '../../store/message-bus.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { HttpOptions } from './options.ts';

const isListOf =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && pattern.test(one));

/** Host names as in the `Host` header: in ASCII, one per entry. */
const areHosts = isListOf(/^(\[[\da-f:.]+\]|(?:(?![:/?#@,*])[!-~])+)$/i);

/** Scheme, host and port; or `null`, which pages without an origin send. */
const origins: Rule = {
  holds: isListOf(/^([a-z][a-z\d+.-]*:\/\/[^\s/?#@,*]+|null)$/i),
  must: "be a list of origins such as ['https://app.example'], without a path",
};
const durationOrInfinity: Rule = {
  holds: (value) => typeof value === 'number' && value > 0,
  must: 'be milliseconds over 0, or Infinity',
};

/** Room for a few short events: with less, no event of a session would be stored. */
const minSessionChars = 1024;

/** The methods of a store, part by part. */
const storeMethods: {
  readonly sessions: Record<Exclude<keyof SessionStore, 'epoch'>, true>;
  readonly events: Record<keyof EventStore, true>;
  readonly bus: Record<keyof MessageBus, true>;
} = {
  sessions: { create: true, read: true, update: true, delete: true, deleteExpired: true },
  events: { append: true, readAfter: true, end: true, deleteSession: true },
  bus: { publish: true, subscribe: true },
};

/** The methods that a store lacks, by their names. */
const lackingIn = (store: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(storeMethods).flatMap(([part, methods]) =>
    Object.keys(methods)
      .filter((method) => !has(store[part], method))
      .map((method) => `${part}.${method}()`),
  );

const sessions = group({
  store: { holds: isObject, must: 'be a store, such as createMemoryStore() of tenon/store' },
  maxCount: countOrInfinity,
  idleTimeoutMs: durationOrInfinity,
  maxAgeMs: durationOrInfinity,
});

const limits = group({
  maxBodyBytes: count,
  ...messageLimits,
  maxConcurrentCalls: countOrInfinity,
  maxQueuedChars: countOrInfinity,
  maxStreamChars: countOrInfinity,
  maxSessionChars: {
    holds: (value) => countOrInfinity.holds(value) && (value as number) >= minSessionChars,
    must: `be an integer, ${minSessionChars} or more; each event counts ${eventOverhead} beside its characters`,
  },
  maxStreams: countOrInfinity,
});

const timeouts: Rules = { inputMs: duration, keepAliveMs: duration, shutdownMs: durationOrZero };

const rules: Rules = {
  allowedHosts: {
    holds: (value) => value === '*' || (areHosts(value) && (value as readonly string[]).length > 0),
    must: "be a list of full names such as ['mcp.example'], without ports and in ASCII (xn--…), or '*' for every host",
  },
  allowedOrigins: origins,
  authenticate: callback,
  onWarning: callback,
  logger,
  sessions: {
    ...sessions,
    holds: (value) => value === false || isObject(value),
    must: `be false, or ${sessions.must.replace('be ', '')}`,
  },
  limits,
  strict: flag,
};

/** Options and timeouts that a caller has besides those of every endpoint. */
interface OwnRules {
  readonly options?: Rules;
  readonly timeouts?: Rules;
}

/** Throws `invalid-argument`. */
export function checkHttpOptions(caller: string, options: unknown, own: OwnRules = {}): void {
  const of = `${caller}()`;
  checkOptions(of, options, { ...rules, timeouts: group({ ...timeouts, ...own.timeouts }), ...own.options });
  const { sessions } = options as HttpOptions;
  const store = sessions ? (sessions.store as Record<string, unknown> | undefined) : undefined;
  const lacking = store === undefined ? [] : lackingIn(store);
  if (lacking.length > 0)
    throw wrong(of, 'sessions.store', `have ${lacking.join(', ')}, as createMemoryStore() of tenon/store has`);
}
