/** Reads the options of `protectWithApiKeys`, and checks its keys. */
import { optionError, problemsIn, type Rule, type Rules, wrong } from '../../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { isRecord } from '../../lib/values/is.ts';
import { principalProblem } from '../../ports/principal.ts';
import { hashBytes, isApiKeyId } from './api-key.ts';
import { apiKeysOptions } from './api-key-options.table.ts';
import type { ApiKey, ApiKeysOptions } from './api-key-options.ts';

const of = 'protectWithApiKeys()';

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

const otherNames = { apiKeys: 'keys', find: 'lookup', requiredScopes: 'scopes' };

/** Throws `invalid-argument`. */
export function readApiKeysOptions(options: ApiKeysOptions): Filled<ApiKeysOptions, typeof apiKeysOptions> {
  if (options === undefined) throw wrong(of, 'options', 'be an object');
  const settings = readOptions(of, apiKeysOptions, options, otherNames);
  const { keys, lookup, issuer } = settings;
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
  return settings;
}
