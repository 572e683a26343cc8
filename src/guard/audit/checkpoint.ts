/** Signed checkpoints: an attacker with the file but without the key cannot write another history that ends in one. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { fromExactBase64Url, toBase64Url } from '../../lib/text/base64.ts';
import type { AuditFields, ChainHead } from './record.ts';

/** A signature over everything up to a record. Hand it to a place that an attacker of this machine cannot change. */
export interface AuditCheckpoint {
  /** How many records it covers, from the first of the chain. */
  readonly records: number;
  /** The hash of the last record it covers. */
  readonly hash: string;
  /** The public key, as `x` of its JWK. */
  readonly key: string;
  /** Ed25519, base64url. */
  readonly signature: string;
}

/** An Ed25519 key of an audit log, as JSON Web Keys. */
export interface AuditKey {
  /** For `auditFolder`. Keep it where only the server can read it. */
  readonly privateKey: JsonWebKey;
  /** For `verifyAudit`. */
  readonly publicKey: JsonWebKey;
}

/**
 * Makes a key that signs the checkpoints of an audit log.
 *
 * @example
 * ```ts
 * const { privateKey, publicKey } = await createAuditKey();
 * ```
 */
export async function createAuditKey(): Promise<AuditKey> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const { kty, crv, d, x } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  const publicKey = { kty, crv, x } as JsonWebKey;
  return { privateKey: { ...publicKey, d } as JsonWebKey, publicKey };
}

const isEd25519 = (key: unknown): key is JsonWebKey & { x: string } => {
  const { kty, crv, x } = (key ?? {}) as JsonWebKey;
  return kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string';
};
export const isPublicKey = (key: unknown): boolean => isEd25519(key);
export const isPrivateKey = (key: unknown): boolean => isEd25519(key) && typeof key.d === 'string';

export type SignCheckpoint = (head: ChainHead) => Promise<AuditCheckpoint>;

/** Reads the key when it is first used. */
export function createCheckpointSigner(jwk: JsonWebKey): SignCheckpoint {
  let imported: Promise<CryptoKey> | undefined;
  return async ({ n, hash }) => {
    const { kty, crv, d, x } = jwk as { kty: string; crv: string; d: string; x: string };
    imported ??= crypto.subtle.importKey('jwk', { kty, crv, d, x }, 'Ed25519', false, ['sign']);
    const signature = await crypto.subtle.sign('Ed25519', await imported, signedBytes(n, hash));
    return { records: n, hash, key: x, signature: toBase64Url(new Uint8Array(signature)) };
  };
}

export type VerifyCheckpoint = (checkpoint: AuditCheckpoint) => Promise<boolean>;

/** A checkpoint of any of the keys is valid: keys are replaced from time to time. */
export function createCheckpointVerifier(publicKeys: readonly JsonWebKey[]): VerifyCheckpoint {
  const imported = new Map<string, Promise<CryptoKey>>();
  return async ({ records, hash, key, signature }) => {
    const found = publicKeys.find(({ x }) => x === key);
    if (found === undefined) return false;
    let ready = imported.get(key);
    if (ready === undefined) {
      ready = crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: key }, 'Ed25519', false, ['verify']);
      imported.set(key, ready);
    }
    const publicKey = await ready.catch((cause: unknown) => {
      throw new TenonError('invalid-argument', 'The public key of an audit log is not valid.', {
        cause,
        hint: 'Pass the publicKey of createAuditKey().',
      });
    });
    // Another text of the same bytes would be a change that is not found.
    const bytes = fromExactBase64Url(signature);
    return bytes !== undefined && crypto.subtle.verify('Ed25519', publicKey, bytes, signedBytes(records, hash));
  };
}

/** The checkpoint of a record of kind `checkpoint`; `undefined` if it has none. */
export function readCheckpoint(what: AuditFields | undefined): AuditCheckpoint | undefined {
  const { records, hash, key, signature } = what ?? {};
  const isCheckpoint =
    Number.isSafeInteger(records) && [hash, key, signature].every((text) => typeof text === 'string');
  return isCheckpoint ? ({ records, hash, key, signature } as AuditCheckpoint) : undefined;
}

/** The name of the purpose comes first: the key signs nothing that could be taken for something else. */
const signedBytes = (records: number, hash: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`tenon-audit-checkpoint-1 ${records} ${hash}`);
