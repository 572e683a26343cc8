/** The option `dpop` of `protect`, and the rules of its members. */
import { has, isTexts, type Rule } from '../../../lib/options/option-rules.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import type { OnceStore } from '../../../store/once-store.ts';

/** Whether tokens have to be bound to a key: always, or only those that are. */
export type DpopMode = 'required' | 'optional';

/**
 * How DPoP (RFC 9449) is used: each request proves that the client has the key of its token.
 * @area auth
 */
export interface DpopOptions {
  /**
   * `required` refuses tokens that are not bound to a key; `optional` accepts them as bearer tokens.
   * @default computed `required`
   */
  readonly mode?: DpopMode;
  /**
   * Whether proofs need a nonce of the server. A client gets one with its first refusal.
   * @default computed whether `secrets` are set
   */
  readonly nonces?: boolean;
  /**
   * The secrets that nonces are made with, each of 16 characters or more. Nodes that share them accept each other's
   * nonces. The first is used; the others are still accepted.
   * @default computed a random one of this process
   * @rule nonceSecrets
   */
  readonly secrets?: readonly string[];
  /**
   * Where the IDs of used proofs are stored. Nodes should share it.
   * @default computed in the `store` of the server; without one, in memory of this process
   * @rule usedProofs
   */
  readonly once?: Pick<OnceStore, 'burn'>;
  /**
   * The URLs at which clients send requests, as they know them. A proof must be for one of them.
   * @default computed `resource`
   * @rule proofUrls
   */
  readonly urls?: readonly string[];
}

export const nonceSecrets: Rule = {
  holds: (value) => isTexts(value) && (value as string[]).length > 0,
  must: 'be a list with at least one secret; without it each process makes its own',
};

export const usedProofs: Rule = {
  holds: (value) => has(value, 'burn'),
  must: 'have the method burn(), as `once` of createMemoryStore() has',
};

const isHttpUrl = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\//.test(value) && isUrl(value);

export const proofUrls: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isHttpUrl),
  must: "be a list of URLs such as ['https://mcp.example.com/mcp']",
};
