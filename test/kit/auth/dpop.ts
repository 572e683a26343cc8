/** A client with a DPoP key: makes proofs, valid ones and others. */
import { calculateJwkThumbprint, type JWTPayload, SignJWT } from 'jose';
import { newKey, resource, type SigningKey, seconds } from './issuer.ts';

export interface ProofKey extends SigningKey {
  /** The thumbprint of the key: tokens have it in `cnf.jkt`. */
  readonly jkt: string;
}

export async function newProofKey(alg = 'ES256'): Promise<ProofKey> {
  const key = await newKey('proof', alg);
  return { ...key, jkt: await calculateJwkThumbprint(key.publicJwk) };
}

export async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Buffer.from(digest).toString('base64url');
}

/** The public key as it is in a proof. */
export function jwkOf({ publicJwk }: SigningKey) {
  const { kid: _kid, alg: _alg, use: _use, ...jwk } = publicJwk;
  return jwk;
}

let made = 0;

/** A proof with the claims of a valid one and those given; `undefined` removes a claim or a header. */
export async function makeProof(
  key: SigningKey,
  token: string,
  claims: JWTPayload = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const valid = { jti: `proof ${++made}`, htm: 'POST', htu: resource, iat: seconds(), ath: await hashOf(token) };
  return new SignJWT(defined({ ...valid, ...claims }))
    .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk: jwkOf(key), ...header } as never)
    .sign(key.privateKey, { crit: { x: true } });
}

const defined = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
