/** Checks the options of createServer. */
import { areDialects, dialectNames, errorCodeTableNames, isErrorCodeTable } from '../protocol/dialects/dialects.ts';
import { isRecord } from '../protocol/model/primitives.ts';
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
} from '../protocol/option-rules.ts';
import type { IdempotencyOptions } from './kernel/idempotency.ts';
import type { SealOptions } from './server-requests/sealed-state.ts';

const of = 'createServer()';

/** Shorter secrets can be guessed by trying. */
const leastSecret = 16;

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= leastSecret;

const stateRules: Rules & Record<keyof SealOptions, Rule> = {
  secrets: {
    holds: (value) => Array.isArray(value) && value.length > 0,
    must: 'be a list with at least one secret; without it one is made for this process',
  },
  lifetimeMs: positive,
  maxLength: positive,
  now: callback,
  burn: callback,
};

const idempotencyRules: Rules & Record<keyof IdempotencyOptions, Rule> = {
  ttlMs: positive,
  maxEntries: positive,
  maxChars: positive,
};

const rules: Rules = {
  middleware: {
    holds: (value) => Array.isArray(value),
    must: 'be a list of functions such as (call, next) => next()',
  },
  timeoutMs: positive,
  maxConcurrent: positive,
  maxRounds: count,
  allowedUrlSchemes: {
    holds: (value) => isTexts(value) && (value as string[]).every((one) => /^[a-z][a-z\d+.-]*$/.test(one)),
    must: "be a list such as ['https', 'myapp'], without the colon",
  },
  state: group(stateRules),
  idempotency: {
    holds: (value) => value === false || isRecord(value),
    must: `be false, or an object with ${Object.keys(idempotencyRules).join(', ')}`,
    fields: idempotencyRules,
  },
  alwaysReplay: flag,
  unboundAnswers: flag,
  onError: callback,
  protocolVersions: { holds: Array.isArray, must: 'be a list of protocol versions' },
  versionMismatch: {
    holds: (value) => value === 'negotiate' || value === 'reject',
    must: "be 'negotiate' or 'reject'",
  },
  dialects: { holds: areDialects, must: `be a list of ${dialectNames.join(', ')}` },
  errorCodes: { holds: isErrorCodeTable, must: `be one of ${errorCodeTableNames.join(', ')}` },
};

/** Throws `invalid-definition`. */
export function checkServerOptions(options: unknown): void {
  checkOptions(of, options, rules, 'invalid-definition');
  const { middleware = [], state } = options as { middleware?: unknown[]; state?: { secrets?: unknown[] } };
  const notFunction = middleware.findIndex((one) => typeof one !== 'function');
  if (notFunction !== -1)
    throw wrong(of, `middleware[${notFunction}]`, 'be a function such as (call, next) => next()', 'invalid-definition');
  // The text of the error never holds the secret.
  const weak = state?.secrets?.findIndex((secret) => !isSecret(secret)) ?? -1;
  if (weak === -1) return;
  const must = `be a string of ${leastSecret} characters or more, such as from openssl rand -base64 32`;
  throw wrong(of, `state.secrets[${weak}]`, must, 'invalid-definition');
}
