/** What options of an endpoint have to be: refused when it is made, not by some request later. */
import {
  callback,
  checkOptions,
  count,
  countOrInfinity,
  duration,
  flag,
  has,
  isObject,
  logger,
  type Rule,
  type Rules,
  wrong,
} from '../../protocol/option-rules.ts';
import { type EventStore, eventOverhead } from '../../store/event-store.ts';
import type { MessageBus } from '../../store/message-bus.ts';
import type { SessionStore } from '../../store/session-store.ts';

const isListOf =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && pattern.test(one));

/** Names as requests bring them: in ASCII, and each by itself. */
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

/** Room for a few short events: of a session that may keep much less, nothing is kept at all. */
const leastSessionKept = 1024;

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

const rules: Rules = {
  allowedHosts: {
    holds: (value) => value === '*' || (areHosts(value) && (value as readonly string[]).length > 0),
    must: "be a list of full names such as ['mcp.example'], without ports and in ASCII (xn--…), or '*' for every host",
  },
  allowedOrigins: origins,
  cors: origins,
  authenticate: callback,
  principal: callback,
  onWarning: callback,
  logger,
  store: { holds: isObject, must: 'be a store, such as createMemoryStore() of tenon/store' },
  sessions: flag,
  limits: { holds: isObject, must: 'be an object with maxMessageChars, maxDepth or maxBatch' },
  strict: flag,
  maxSessions: countOrInfinity,
  maxRunning: countOrInfinity,
  maxWaiting: countOrInfinity,
  maxStreamChars: countOrInfinity,
  maxSessionChars: {
    holds: (value) => countOrInfinity.holds(value) && (value as number) >= leastSessionKept,
    must: `be an integer, ${leastSessionKept} or more; each event counts ${eventOverhead} beside its characters`,
  },
  maxStreams: countOrInfinity,
  maxBody: count,
  idleMs: durationOrInfinity,
  lifetimeMs: durationOrInfinity,
  keepAliveMs: duration,
  answerTimeoutMs: duration,
};

/** Throws `invalid-argument`. `more` are rules that hold for one caller only. */
export function checkHttpOptions(caller: string, options: unknown, more: Rules = {}): void {
  const of = `${caller}()`;
  checkOptions(of, options, { ...rules, ...more });
  const { store } = options as { readonly store?: Record<string, unknown> };
  const lacking = store === undefined ? [] : lackingIn(store);
  if (lacking.length > 0)
    throw wrong(of, 'store', `have ${lacking.join(', ')}, as createMemoryStore() of tenon/store has`);
}
