/** Binds tokens to a key (DPoP, RFC 9449): without the key a stolen token is of no use. */
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import * as oauth from 'oauth4webapi';
import type { BindingKey } from '../records.ts';
import type { Steps } from '../steps.ts';

/** The best first. */
const algorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256'];

const rule = 'RFC 9449, 5: tokens are bound to a key';

/**
 * A new key for tokens, if they are to be bound: where the option `dpop` requires it, or the server asks for it and the
 * authorization server supports it.
 */
export async function newBindingKey(
  server: oauth.AuthorizationServer,
  dpop: boolean | undefined,
  isAsked: boolean,
  steps: Steps,
): Promise<BindingKey | undefined> {
  if (dpop === false || (dpop === undefined && !isAsked)) return undefined;
  const { issuer: url, dpop_signing_alg_values_supported: supported } = server;
  const alg = algorithms.find((one) => supported?.includes(one));
  if (alg === undefined) {
    if (dpop === true) throw steps.failure({ step: 'server-metadata', url, rule, ...unsupported });
    return undefined;
  }
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg };
}

const unsupported = {
  found: 'It does not list dpop_signing_alg_values_supported with an algorithm of this client.',
  hint: 'Leave the option dpop out, or use an authorization server that binds tokens to keys.',
};

/** Fails closed where tokens have to be bound and are not. */
export function requireBound(
  { issuer: url }: oauth.AuthorizationServer,
  { token_type: type }: oauth.TokenEndpointResponse,
  dpop: boolean | undefined,
  steps: Steps,
): void {
  if (dpop !== true || type === 'dpop') return;
  const hint = 'Allow DPoP for this client at the authorization server, or leave the option dpop out.';
  throw steps.failure({ step: 'token', url, found: `It issued a token of type ${type}.`, rule, hint });
}

const privateMembers = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'alg']);

/** What a proof shows of the key. */
export const publicJwk = (key: BindingKey): JWK =>
  Object.fromEntries(Object.entries(key).filter(([name]) => !privateMembers.has(name))) as JWK;

/** The private key cannot be read out of memory again. */
export const signingKey = async (key: BindingKey): Promise<CryptoKey> =>
  (await importJWK(key, key.alg, { extractable: false })) as CryptoKey;

/** Makes the proofs of requests to an authorization server, and remembers its nonces. */
export async function proofsFor(key: BindingKey): Promise<oauth.DPoPHandle> {
  const publicKey = (await importJWK(publicJwk(key), key.alg, { extractable: true })) as CryptoKey;
  return oauth.DPoP({}, { privateKey: await signingKey(key), publicKey });
}
