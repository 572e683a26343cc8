/** The options of `protectWithApiKeys`, and the rules of their lists. */
import { isFunction, isTexts, type Rule } from '../../lib/options/option-rules.ts';
import type { PrincipalDetails } from '../../ports/principal.ts';
import type { Authenticate } from '../../server/ports/authenticate.ts';

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

/**
 * The options of `protectWithApiKeys`.
 * @area auth
 * @of `protectWithApiKeys`
 */
export interface ApiKeysOptions {
  /**
   * The keys, each with its hash and its subject.
   * @default off
   * @rule apiKeyList
   */
  readonly keys?: readonly ApiKey[];
  /**
   * Finds a key by its id, instead of `keys`. It is called for every request.
   * @default off
   */
  readonly lookup?: FindApiKey;
  /**
   * Who vouches for the subjects.
   * @default 'api-keys'
   */
  readonly issuer?: string;
  /**
   * The scopes that every request needs; without them it gets 403.
   * @default []
   * @rule requiredScopes
   */
  readonly scopes?: readonly string[];
  /**
   * Authenticates requests without an API key, such as `protect(…)` for those with an access token.
   * @default off, they get 401
   * @rule otherAuthentication
   */
  readonly otherwise?: Authenticate;
}

export const apiKeyList: Rule = {
  holds: Array.isArray,
  must: 'be a list of { id, hash, subject } of generateApiKey()',
};

export const requiredScopes: Rule = {
  holds: (value) => isTexts(value) && (value as string[]).every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)),
  must: "be a list of scopes such as ['files:read'], without spaces, quotes and backslashes",
};

export const otherAuthentication: Rule = { holds: isFunction, must: 'be a function, such as protect(…)' };
