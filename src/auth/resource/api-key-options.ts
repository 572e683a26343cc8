/** The options of `protectWithApiKeys`, and their checks. */

import {
  callback,
  checkOptions,
  isFunction,
  isTexts,
  optionError,
  problemsIn,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type PrincipalDetails, principalProblem } from '../../ports/principal.ts';
import type { Authenticate } from '../../server/ports/authenticate.ts';
import { hashBytes, isApiKeyId } from './api-key.ts';

/** A stored API key: its hash, and who uses it. */
export interface ApiKey extends Omit<PrincipalDetails, 'issuer'> {
  /** The id of the key, as `generateApiKey` made it. */
  readonly id: string;
  /** The SHA-256 of the key in hexadecimal, as `generateApiKey` made it. */
  readonly hash: string;
  /** Who vouches for the subject. Default: `issuer` of `protectWithApiKeys`. */
  readonly issuer?: string;
}

/** Finds a stored API key by its id, for example in a database. Returns nothing for an unknown one. */
export type FindApiKey = (id: string) => ApiKey | undefined | PromiseLike<ApiKey | undefined>;

/** The options of `protectWithApiKeys`. */
export interface ApiKeysOptions {
  /** The keys, each with its hash and its subject. */
  readonly keys?: readonly ApiKey[];
  /** Finds a key by its id, instead of `keys`. It is called for every request. */
  readonly lookup?: FindApiKey;
  /** Who vouches for the subjects. Default `api-keys`. */
  readonly issuer?: string;
  /** The scopes that every request needs; without them it gets 403. Default none. */
  readonly scopes?: readonly string[];
  /** Authenticates requests without an API key, such as `protect(…)` for those with an access token. Default: 401. */
  readonly otherwise?: Authenticate;
}

export const of = 'protectWithApiKeys()';

const rules: Rules & Record<keyof ApiKeysOptions, Rule> = {
  keys: { holds: Array.isArray, must: 'be a list of { id, hash, subject } of generateApiKey()' },
  lookup: callback,
  issuer: { holds: (value) => typeof value === 'string' && value !== '', must: 'be a text that is not empty' },
  scopes: {
    holds: (value) => isTexts(value) && (value as string[]).every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)),
    must: "be a list of scopes such as ['files:read'], without spaces, quotes and backslashes",
  },
  otherwise: { holds: isFunction, must: 'be a function, such as protect(…)' },
};

/** The members of a key; their values are checked below. */
const any = { holds: () => true, must: '' };
const members: Rules & Record<keyof ApiKey, Rule> = {
  id: any,
  hash: any,
  subject: any,
  issuer: any,
  client: any,
  scopes: any,
  roles: any,
  claims: any,
  expiresAt: any,
};
const otherMembers = { scope: 'scopes', expires: 'expiresAt', exp: 'expiresAt', role: 'roles', user: 'subject' };

/** What is wrong with a stored key, if anything. The text has nothing of its hash. */
export function apiKeyProblem(key: ApiKey, issuer: string): string | undefined {
  if (!isRecord(key)) return 'it must be an object with id, hash and subject';
  if (!isApiKeyId(key.id)) return 'id must be that of generateApiKey()';
  if (hashBytes(key.hash) === undefined)
    return 'hash must be the SHA-256 of the key in hexadecimal, never the key itself';
  return principalProblem({ ...key, issuer: key.issuer ?? issuer });
}

/** Throws `invalid-argument`. */
export function checkApiKeys(options: ApiKeysOptions, issuer: string): void {
  checkOptions(of, options, rules, 'invalid-argument', { apiKeys: 'keys', find: 'lookup', requiredScopes: 'scopes' });
  const { keys, lookup } = options;
  if ((keys === undefined) === (lookup === undefined))
    throw wrong(
      of,
      'keys',
      'be a list of keys; to find them elsewhere, set lookup instead. One of the two is required',
    );
  const ids = new Set<string>();
  for (const [at, key] of (keys ?? []).entries()) {
    const problem = apiKeyProblem(key, issuer) ?? (ids.has(key.id) ? 'another key has the same id' : undefined);
    if (problem !== undefined) throw wrong(of, `keys[${at}]`, `be a stored key: ${problem}`);
    // A key with `expires` would never expire.
    const [unknown] = problemsIn(`keys[${at}].`, { ...key }, members, otherMembers);
    if (unknown !== undefined) throw optionError(of, unknown);
    ids.add(key.id);
  }
}
