/** The keys of one secret. Each writer derives its own from a salt that it makes, so that random nonces never repeat. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** How many salts of other writers are remembered; a key is derived again in microseconds. */
const maxDerived = 1000;

export class SecretKey {
  /** Identifies the secret in stored values, and reveals nothing about it. */
  readonly id: string;
  readonly #secret: string;
  readonly #derived = new Map<string, KeyObject>();

  constructor(secret: string) {
    this.#secret = secret;
    this.id = this.#derive('', 'tenon store key id', 6).toString('base64url');
  }

  /** The key of a writer. */
  of(salt: Buffer): KeyObject {
    const name = salt.toString('latin1');
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const key = createSecretKey(this.#derive(salt, 'tenon store values', 32));
    const [oldest] = this.#derived.keys();
    if (this.#derived.size >= maxDerived && oldest !== undefined) this.#derived.delete(oldest);
    this.#derived.set(name, key);
    return key;
  }

  #derive(salt: Buffer | string, purpose: string, length: number): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, salt, purpose, length));
  }
}
