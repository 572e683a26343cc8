/** The form of an API key, `tnk_<id>_<secret>`, and how one is made, hashed and compared. */
import { toBase64Url } from '../../lib/text/base64.ts';
import { toHex } from '../../lib/text/hex.ts';
import { sha256 } from './sha256.ts';

/** A new API key. Give `key` to its user, and store the rest. */
export interface NewApiKey {
  /** Names the key. It is not a secret. */
  readonly id: string;
  /** The key itself. It cannot be had again: store it nowhere. */
  readonly key: string;
  /** The SHA-256 of the key, in hexadecimal. */
  readonly hash: string;
}

/** Makes an API key with a random secret of 256 bits. */
export async function generateApiKey(): Promise<NewApiKey> {
  const id = toHex(crypto.getRandomValues(new Uint8Array(8)));
  const key = `tnk_${id}_${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
  return { id, key, hash: toHex(await sha256(key)) };
}

export const isApiKeyId = (value: unknown): boolean => typeof value === 'string' && /^[\dA-Za-z]{1,64}$/.test(value);

/** Whether a token is an API key rather than a token of another kind. */
export const isApiKey = (text: string): boolean => text.startsWith('tnk_');

/** The id in a key; `undefined` for a text in another form. */
export const idOf = (key: string): string | undefined => /^tnk_([\dA-Za-z]{1,64})_[\w-]{43}$/.exec(key)?.[1];

/** The bytes of a hash; `undefined` for a text that is no SHA-256 in hexadecimal. */
export const hashBytes = (hash: unknown): Uint8Array | undefined =>
  typeof hash === 'string' && /^[\da-f]{64}$/i.test(hash)
    ? Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hash.slice(at * 2, at * 2 + 2), 16))
    : undefined;

/** Whether a key has this hash. Takes the same time wherever the first difference is. */
export async function hasHash(key: string, hash: Uint8Array): Promise<boolean> {
  const own = await sha256(key);
  let difference = own.length ^ hash.length;
  for (let at = 0; at < own.length; at++) difference |= (own[at] ?? 0) ^ (hash[at] ?? 0);
  return difference === 0;
}
