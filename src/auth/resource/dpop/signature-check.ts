/** Verifies signatures with the crypto of Node, without a promise: half of the processor time of WebCrypto. */
import { base64url, type JWTHeaderParameters } from 'jose';

/** Whether the signature of a proof is that of its key. */
export type SignatureCheck = (proof: string) => boolean;

/** What is used of `node:crypto`. */
interface NodeCrypto {
  createPublicKey(from: { readonly key: unknown; readonly format: 'jwk' }): object;
  verify(hash: string | null, signed: Uint8Array, key: object, signature: Uint8Array): boolean;
}

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined };
}

/** The algorithms that take about 0.1 ms with every key. Others could hold up the loop: WebCrypto verifies them in another thread. */
const quick: Readonly<Record<string, { readonly hash: string | null; readonly settings?: object }>> = {
  ES256: { hash: 'sha256', settings: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { hash: null },
  Ed25519: { hash: null },
};

/** For the key of a header. `proof` has just been verified with it: where this check would not agree, there is none. */
export function signatureCheck({ alg, jwk }: JWTHeaderParameters, proof: string): SignatureCheck | undefined {
  try {
    const crypto = (globalThis as Runtime).process?.getBuiltinModule?.('node:crypto');
    const algorithm = quick[alg];
    if (crypto === undefined || algorithm === undefined) return undefined;
    const key = { key: crypto.createPublicKey({ key: jwk, format: 'jwk' }), ...algorithm.settings };
    const check: SignatureCheck = (text) => {
      const [signed, signature] = partsOf(text);
      return crypto.verify(algorithm.hash, signed, key, signature);
    };
    return check(proof) ? check : undefined;
  } catch {
    // A runtime whose module is not that of Node.
    return undefined;
  }
}

function partsOf(proof: string): [signed: Uint8Array, signature: Uint8Array] {
  const end = proof.lastIndexOf('.');
  return [new TextEncoder().encode(proof.slice(0, end)), base64url.decode(proof.slice(end + 1))];
}
