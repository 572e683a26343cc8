/** Checks the options of createServer. */

import {
  callback,
  checkOptions,
  count,
  flag,
  group,
  isTexts,
  positive,
  type Rule,
  type Rules,
  wrong,
} from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';
import { compatRule } from '../protocol/dialects/compat-rule.ts';
import type { IdempotencyOptions } from './kernel/runs/idempotency.ts';
import type { ServerLimits, TaskLimits } from './ports/call-limits.ts';
import type { RequestStateOptions } from './server-requests/sealed-state.ts';

const of = 'createServer()';

/** Shorter secrets can be guessed by brute force. */
const leastSecret = 16;

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= leastSecret;

const limitRules: Rules & Record<keyof ServerLimits, Rule> = {
  maxConcurrentCalls: positive,
  maxInputRounds: count,
};

const requestStateRules: Rules & Record<keyof RequestStateOptions, Rule> = {
  ttlMs: positive,
  maxChars: positive,
  consumeNonce: callback,
  required: flag,
  maxUsed: positive,
  maxResultChars: positive,
};

const taskRules: Rules & Record<keyof TaskLimits, Rule> = {
  maxConcurrent: positive,
  maxPerPrincipal: positive,
  leaseMs: positive,
  maxCrashes: count,
  retentionMs: positive,
  shutdownMs: positive,
  durability: {
    holds: (value) => value === 'memory' || value === 'process' || value === 'disk',
    must: "be 'memory', 'process' or 'disk'",
  },
  maxJournalEntries: positive,
  maxJournalChars: positive,
};

const idempotencyRules: Rules & Record<keyof IdempotencyOptions, Rule> = {
  ttlMs: positive,
  maxEntries: positive,
  maxChars: positive,
  durability: {
    holds: (value) => value === 'process' || value === 'disk',
    must: "be 'process' or 'disk'",
  },
};

const rules: Rules = {
  middleware: {
    holds: (value) => Array.isArray(value),
    must: 'be a list of functions such as (call, next) => next()',
  },
  timeoutMs: positive,
  guard: {
    holds: (value) => isRecord(value) && typeof value.begin === 'function' && typeof value.sees === 'function',
    must: 'be the result of guard({ policy }) of tenon/guard',
  },
  limits: group(limitRules),
  allowedUrlSchemes: {
    holds: (value) => isTexts(value) && (value as string[]).every((one) => /^[a-z][a-z\d+.-]*$/.test(one)),
    must: "be a list such as ['https', 'myapp'], without the colon",
  },
  secrets: {
    holds: (value) => Array.isArray(value) && value.length > 0,
    must: 'be a list with at least one secret; without it each process makes its own',
  },
  requestState: group(requestStateRules),
  idempotency: {
    holds: (value) => value === false || isRecord(value),
    must: `be false, or an object with ${Object.keys(idempotencyRules).join(', ')}`,
    fields: idempotencyRules,
  },
  tasks: group(taskRules),
  alwaysReplay: flag,
  onError: callback,
  onRootsListChanged: callback,
  protocolVersions: { holds: Array.isArray, must: 'be a list of protocol versions' },
  versionMismatch: {
    holds: (value) => value === 'negotiate' || value === 'reject',
    must: "be 'negotiate' or 'reject'",
  },
  compat: compatRule,
};

/** Throws `invalid-definition`. */
export function checkServerOptions(options: unknown): void {
  checkOptions(of, options, rules, 'invalid-definition');
  const { middleware = [], secrets } = options as { middleware?: unknown[]; secrets?: unknown[] };
  const notFunction = middleware.findIndex((one) => typeof one !== 'function');
  if (notFunction !== -1)
    throw wrong(of, `middleware[${notFunction}]`, 'be a function such as (call, next) => next()', 'invalid-definition');
  // The error never contains the secret.
  const weak = secrets?.findIndex((secret) => !isSecret(secret)) ?? -1;
  if (weak === -1) return;
  const must = `be a string of ${leastSecret} characters or more, such as from openssl rand -base64 32`;
  throw wrong(of, `secrets[${weak}]`, must, 'invalid-definition');
}
