/** The option `encryption` of stores, and its checks. */

import { isTexts, type Rule, type Rules, wrong } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';

/** How private values are encrypted at rest. */
export interface EncryptionOptions {
  /**
   * The secrets, each of 32 characters or more: the first encrypts, the others still decrypt. All processes that share a
   * store need the same. To rotate, append the new secret everywhere, then put it first, then remove the old one.
   */
  readonly keys: readonly string[];
}

/** Who has a copy of the store can try secrets without end: they must be longer than those of a server. */
const leastSecret = 32;

/** Each is tried by its id, so many cost nothing; a long list is a mistake. */
const maxSecrets = 16;

const fields: Rules & Record<keyof EncryptionOptions, Rule> = {
  keys: {
    holds: (value) => isTexts(value) && isLength((value as string[]).length),
    must: `be a list of 1 to ${maxSecrets} secrets`,
  },
};

const isLength = (length: number): boolean => length > 0 && length <= maxSecrets;

export const encryptionRule: Rule = {
  holds: (value) => isRecord(value) && 'keys' in value,
  must: 'be an object with keys, a list of secrets',
  fields,
};

/** Throws `invalid-argument`, without the secret. The rule has checked everything else. */
export function checkSecrets(of: string, encryption: EncryptionOptions | undefined): void {
  const weak = encryption?.keys.findIndex((secret) => secret.length < leastSecret) ?? -1;
  if (weak === -1) return;
  const must = `be a string of ${leastSecret} characters or more, such as from openssl rand -base64 32`;
  throw wrong(of, `encryption.keys[${weak}]`, must);
}
