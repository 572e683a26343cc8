/** The option `dpop` of `protect`, and its checks. */

import { flag, has, isTexts, type Rule, type Rules, wrong } from '../../../lib/options/option-rules.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import { isRecord } from '../../../lib/values/is.ts';
import type { OnceStore } from '../../../store/once/once-store.ts';

/** Whether tokens have to be bound to a key: always, or only those that are. */
export type DpopMode = 'required' | 'optional';

/** How DPoP (RFC 9449) is used: each request proves that the client has the key of its token. */
export interface DpopOptions {
  /** `required` refuses tokens that are not bound to a key; `optional` accepts them as bearer tokens. Default `required`. */
  readonly mode?: DpopMode;
  /** Whether proofs need a nonce of the server. A client gets one with its first refusal. Default: whether `secrets` are set. */
  readonly nonces?: boolean;
  /**
   * The secrets that nonces are made with, each of 16 characters or more. Nodes that share them accept each other's
   * nonces. The first is used; the others are still accepted. Default: a random one of this process.
   */
  readonly secrets?: readonly string[];
  /** Where the IDs of used proofs are stored. Nodes should share it. Default: in the `store` of the server; without one, in memory of this process. */
  readonly once?: Pick<OnceStore, 'burn'>;
  /** The URLs at which clients send requests, as they know them. A proof must be for one of them. Default `resource`. */
  readonly urls?: readonly string[];
}

/** Shorter secrets can be guessed by brute force. */
const leastSecret = 16;

const isMode = (value: unknown): value is DpopMode => value === 'required' || value === 'optional';

const isHttpUrl = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\//.test(value) && isUrl(value);

const fields: Rules & Record<keyof DpopOptions, Rule> = {
  mode: { holds: isMode, must: "be 'required' or 'optional'" },
  nonces: flag,
  secrets: {
    holds: (value) => isTexts(value) && (value as string[]).length > 0,
    must: 'be a list with at least one secret; without it each process makes its own',
  },
  once: { holds: (value) => has(value, 'burn'), must: 'have the method burn(), as `once` of createMemoryStore() has' },
  urls: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isHttpUrl),
    must: "be a list of URLs such as ['https://mcp.example.com/mcp']",
  },
};

export const dpopRule: Rule = {
  holds: (value) => isMode(value) || isRecord(value),
  must: `be 'required', 'optional', or an object with ${Object.keys(fields).join(', ')}`,
  fields,
};

/** Throws `invalid-argument`, without the secret. The rule has checked everything else. */
export function readDpop(of: string, given: DpopMode | DpopOptions | undefined): DpopOptions | undefined {
  if (given === undefined || typeof given === 'string') return given && { mode: given };
  const weak = given.secrets?.findIndex((secret) => secret.length < leastSecret) ?? -1;
  if (weak !== -1)
    throw wrong(
      of,
      `dpop.secrets[${weak}]`,
      `be a string of ${leastSecret} characters or more, such as from openssl rand -base64 32`,
    );
  return given;
}
