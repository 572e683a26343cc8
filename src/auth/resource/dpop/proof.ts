/** Verifies one DPoP proof (RFC 9449, 4.3): its form, its signature, and the request that it was made for. */
import { calculateJwkThumbprint, decodeJwt, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { isUrl } from '../../../lib/text/parse-url.ts';
import { proofAlgorithms } from '../tokens/algorithms.ts';
import type { KnownKey, KnownKeys } from './known-keys.ts';
import { type SignatureCheck, signatureCheck } from './signature-check.ts';

/** A proof that is valid for the request. Whether it is fresh, for the token and of its key is for the caller to check. */
export interface Proof {
  /** The thumbprint of the key that signed it. */
  readonly jkt: string;
  readonly jti: string;
  readonly ath: unknown;
  readonly nonce: unknown;
  /** After this moment no node accepts it, in milliseconds as `Date.now()` has them. */
  readonly expiresAt: number;
}

/** Why a proof is refused, as the client may read it: nothing of the proof is in it. */
export type ProofRefusal = { readonly refused: string };

/**
 * Characters of a DPoP proof. One with a key of RSA with 4096 bits has about 2200.
 * @limit auth
 * @beyond 401
 */
const maxProofChars = 4096;

/**
 * Characters of the `jti` of a DPoP proof.
 * @limit auth
 * @beyond 401
 */
const maxJtiChars = 256;

/**
 * Age of a DPoP proof, in both directions.
 * @limit auth
 * @default 5 min
 * @beyond 401
 */
const maxAgeSeconds = 300;

/** By how much clocks may differ; also for `exp` and `nbf`, which a proof need not have. */
const skewSeconds = 30;

const refused = (text: string): ProofRefusal => ({ refused: `The DPoP proof ${text}` });
const invalid = refused('is not valid');

/** `urls` are normalized. Two headers with proofs arrive joined by a comma, which no proof has. */
export async function verifyProof(
  text: string,
  method: string,
  urls: ReadonlySet<string>,
  keys: KnownKeys,
): Promise<Proof | ProofRefusal> {
  if (text.length > maxProofChars) return refused('is too long');
  try {
    const known = keys.get(text);
    const { payload, jkt } = known === undefined ? await verifyWithNewKey(text, keys) : await verifyWith(text, known);
    const { jti, htm, htu, iat, ath, nonce } = payload;
    if (htm !== method) return refused('is for another method');
    if (typeof htu !== 'string' || !isUrl(htu) || !urls.has(normalUrl(htu))) return refused('is for another URL');
    if (typeof iat !== 'number' || Math.abs(Date.now() / 1000 - iat) > maxAgeSeconds)
      return refused('is too old, or of the future');
    if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiChars) return refused('has no valid jti');
    // The clock of another node, or of the store, may be ahead or behind.
    return { jkt, jti, ath, nonce, expiresAt: (iat + maxAgeSeconds + skewSeconds) * 1000 };
  } catch (error) {
    return refusalOf(error);
  }
}

const rules = { typ: 'dpop+jwt', algorithms: proofAlgorithms, clockTolerance: skewSeconds };

async function verifyWith(text: string, { key, jkt, check }: KnownKey) {
  const payload = check === undefined ? (await jwtVerify(text, key, rules)).payload : readPayload(text, check);
  return { payload, jkt };
}

/** What `jwtVerify` does, for a proof whose header was in one that it has verified. */
function readPayload(text: string, check: SignatureCheck): JWTPayload {
  if (!check(text)) throw new errors.JWSSignatureVerificationFailed();
  const payload = decodeJwt(text);
  const now = Date.now() / 1000;
  const isBetween = isTimeOrAbsent(payload.nbf, (time) => time <= now + skewSeconds);
  if (!isBetween || !isTimeOrAbsent(payload.exp, (time) => time > now - skewSeconds)) throw new errors.JWTInvalid();
  return payload;
}

const isTimeOrAbsent = (time: unknown, isRight: (time: number) => boolean): boolean =>
  time === undefined || (typeof time === 'number' && isRight(time));

async function verifyWithNewKey(text: string, keys: KnownKeys) {
  const { payload, protectedHeader, key } = await jwtVerify(text, EmbeddedJWK, rules);
  const jkt = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
  keys.add(text, { key, jkt, check: signatureCheck(protectedHeader, text) });
  return { payload, jkt };
}

/** A URL without query and fragment, normalized as RFC 3986 (6.2.2, 6.2.3) says. */
export function normalUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/%[\da-f]{2}/gi, unescaped);
}

/** Characters that need no escape are written plainly, all others alike. */
function unescaped(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
}

/** What is wrong with a key is thrown as other errors too: all of them are about the proof. */
function refusalOf(error: unknown): ProofRefusal {
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return refused('has an algorithm that is not supported');
  if (error instanceof errors.JWSSignatureVerificationFailed) return refused('has a signature that is not valid');
  return invalid;
}
