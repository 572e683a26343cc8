/** Keys by the header of the proofs that they signed, which a client repeats. No proof is stored. */
import type { CryptoKey } from 'jose';
import type { SignatureCheck } from './signature-check.ts';

/** A public key of proofs. Reading it from a header costs more than verifying a signature (bench/http/protected). */
export interface KnownKey {
  readonly key: CryptoKey;
  /** Its thumbprint. */
  readonly jkt: string;
  /** Where the runtime verifies without a promise. */
  readonly check: SignatureCheck | undefined;
}

/**
 * Keys of DPoP proofs that are cached.
 * @limit auth
 * @beyond the oldest is read again
 */
const maxKnownKeys = 1000;

export class KnownKeys {
  readonly #byHeader = new Map<string, KnownKey>();

  get(proof: string): KnownKey | undefined {
    return this.#byHeader.get(headerOf(proof));
  }

  add(proof: string, known: KnownKey): void {
    this.#byHeader.set(headerOf(proof), known);
    const [oldest] = this.#byHeader.keys();
    if (this.#byHeader.size > maxKnownKeys && oldest !== undefined) this.#byHeader.delete(oldest);
  }
}

const headerOf = (proof: string): string => proof.slice(0, proof.indexOf('.'));
