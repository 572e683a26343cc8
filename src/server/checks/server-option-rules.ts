/** The rules of those options of `createServer` that are no numbers, words or functions. */
import { type Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';

const isHandler = (value: unknown): boolean => typeof value === 'function';

export const middlewareList: Rule = {
  holds: (value) => Array.isArray(value) && value.every(isHandler),
  must: 'be a list of functions such as (call, next) => next()',
  entry: (one) => (isHandler(one) ? undefined : { problem: 'is not valid' }),
};

export const serverGuard: Rule = {
  holds: (value) => isRecord(value) && typeof value.begin === 'function' && typeof value.sees === 'function',
  must: 'be the result of guard({ policy }) of tenon/guard',
};

/** Shorter secrets can be guessed by brute force. */
const leastSecret = 16;

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= leastSecret;

/** The error never contains a secret. */
export const serverSecrets: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isSecret),
  must: `be a list with at least one string of ${leastSecret} characters or more, such as from openssl rand -base64 32; without it each process makes its own`,
  entry: (one) => (isSecret(one) ? undefined : { problem: 'is not valid' }),
};

export const servedVersions: Rule = { holds: Array.isArray, must: 'be a list of protocol versions' };
