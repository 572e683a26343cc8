/** What options of an endpoint have to be: refused when it is made, not by some request later. */
import {
  called,
  count,
  flag,
  has,
  holdOptions,
  isCount,
  isObject,
  logging,
  type Rule,
  type Rules,
  timed,
} from '../../protocol/option-rules.ts';

const isListOf =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && pattern.test(one));

const isHosts = isListOf(/^(\[[\da-f:.]+\]|[^\s:/?#@,]+)$/i);

/** Scheme, host and port; or `null`, which pages without an origin send. */
const origins: Rule = {
  holds: isListOf(/^([a-z][a-z\d+.-]*:\/\/[^\s/?#@,*]+|null)$/i),
  mend: "List origins as ['https://app.example'], without a path.",
};
const bounded: Rule = {
  holds: (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
  mend: 'Give an integer over 0, or leave it out.',
};

const isStore = (value: unknown): boolean =>
  isObject(value) && has(value.sessions, 'create') && has(value.events, 'append') && has(value.bus, 'subscribe');

const rules: Rules = {
  hosts: {
    holds: (value) => value === '*' || isHosts(value),
    mend: "List names as ['mcp.example'], without ports, or write '*'.",
  },
  origins,
  cors: origins,
  authenticate: called,
  principal: called,
  fault: called,
  logger: logging,
  store: { holds: isStore, mend: 'Pass a store, such as memoryStore() of tenon/store.' },
  sessions: flag,
  limits: { holds: isObject, mend: 'Give maxCharacters, maxDepth or maxBatch.' },
  strict: flag,
  maxSessions: bounded,
  maxRunning: bounded,
  maxWaiting: bounded,
  maxKept: bounded,
  maxSessionKept: bounded,
  maxStreams: bounded,
  maxBody: count,
  idleMs: {
    holds: (value) => typeof value === 'number' && value > 0,
    mend: 'Give milliseconds over 0, or leave it out.',
  },
  lifetimeMs: {
    holds: (value) => Number.isFinite(value) && (value as number) > 0,
    mend: 'Give milliseconds over 0, or leave it out.',
  },
  keepAliveMs: timed,
  answerTimeoutMs: timed,
};

/** Throws `invalid-argument`. `more` are rules that hold for one caller only. */
export function checkHttpOptions(caller: string, options: unknown, more: Rules = {}): void {
  holdOptions(`${caller}()`, options, { ...rules, ...more });
}
