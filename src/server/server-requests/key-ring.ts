/** The sealing keys of a server: the key of the first secret seals, the others only open older states. */
import { toBase64Url } from '../../lib/text/base64.ts';

export interface SealingKey {
  /** Identifies the key, and reveals nothing about it. */
  readonly id: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/** Keys for one purpose: a seal for one purpose does not open for another. Created when first needed. */
export function createKeyRing(purpose: string, secrets?: readonly string[]): () => Promise<readonly SealingKey[]> {
  let made: Promise<readonly SealingKey[]> | undefined;
  return () => {
    made ??= Promise.all((secrets ?? [randomSecret()]).map((secret) => keyOf(purpose, secret)));
    return made;
  };
}

async function keyOf(purpose: string, secret: string): Promise<SealingKey> {
  const bytes = await secretBytes(purpose, secret);
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  return { id: (await digest(bytes)).slice(0, 6), key };
}

/** The bytes of a key for one purpose. */
export const secretBytes = (purpose: string, secret: string): Promise<Uint8Array<ArrayBuffer>> =>
  digest(new TextEncoder().encode(`${purpose} ${secret}`));

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
