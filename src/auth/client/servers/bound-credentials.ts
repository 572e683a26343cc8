/** Credentials that are bound to a key: every request gets a fresh proof, with the nonce of the server if it has one. */
import { base64url, SignJWT } from 'jose';
import type { AuthHeaders, AuthRefusal, AuthRequestInfo, ServerAuth } from '../../../client/http/port/client-auth.ts';
import { readChallenges } from '../discovery/challenge.ts';
import type { BindingKey } from '../records.ts';
import { publicJwk, signingKey } from '../tokens/binding.ts';
import type { ServerCredentials } from './server-credentials.ts';

const scheme = 'DPoP ';

interface Signer {
  readonly of: BindingKey;
  readonly key: CryptoKey;
}

type Headers = AuthHeaders | undefined;

/**
 * Attempts with a nonce for a DPoP proof, at each server.
 * @limit credentials
 * @default 1
 * @beyond the refusal is the result
 * @code unauthorized
 */
const nonceAttempt = 'nonce';

/** Adds proofs to the headers of bound tokens, and leaves all others alone. */
export class BoundCredentials implements ServerAuth {
  readonly #credentials: ServerCredentials;
  #signer: Signer | undefined;
  #nonce: string | undefined;
  /** Set once a token is bound: others have no nonces. */
  received?: (header: (name: string) => string | undefined) => void;

  constructor(credentials: ServerCredentials) {
    this.#credentials = credentials;
  }

  headers(request: AuthRequestInfo): Headers | Promise<Headers> {
    const found = this.#credentials.headers();
    if (found instanceof Promise) return found.then((headers) => this.#proved(headers, request));
    return this.#proved(found, request);
  }

  async refused(refusal: AuthRefusal, signal: AbortSignal): Promise<boolean> {
    if (this.#credentials.bindingKey === undefined || !wantsNonce(refusal))
      return this.#credentials.refused(refusal, signal);
    // Its nonce was received with the refusal. One attempt: a server that is never satisfied would ask forever.
    if (refusal.done.includes(nonceAttempt) || this.#nonce === undefined) return false;
    refusal.done.push(nonceAttempt);
    return true;
  }

  #proved(headers: Headers, request: AuthRequestInfo): Headers | Promise<Headers> {
    const { bindingKey } = this.#credentials;
    if (bindingKey === undefined || !headers?.authorization?.startsWith(scheme)) return headers;
    this.received ??= (header) => {
      this.#nonce = header('dpop-nonce') ?? this.#nonce;
    };
    return this.#withProof(headers, bindingKey, request);
  }

  async #withProof(headers: AuthHeaders, of: BindingKey, { method, url }: AuthRequestInfo): Promise<AuthHeaders> {
    if (this.#signer?.of !== of) this.#signer = { of, key: await signingKey(of) };
    const token = headers.authorization?.slice(scheme.length) ?? '';
    const nonce = this.#nonce;
    const proof = await new SignJWT({
      htm: method,
      htu: url.replace(/[?#].*$/s, ''),
      ath: await hashOf(token),
      ...(nonce !== undefined && { nonce }),
    })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: of.alg, jwk: publicJwk(of) })
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .sign(this.#signer.key);
    return { ...headers, dpop: proof };
  }
}

const wantsNonce = ({ status, challenges }: AuthRefusal): boolean =>
  status === 401 &&
  readChallenges(challenges).some(
    (challenge) => challenge.scheme === 'dpop' && challenge.parameters.error === 'use_dpop_nonce',
  );

/** SHA-256 in base64url, as `ath` has it. */
async function hashOf(token: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)));
  return base64url.encode(hash);
}
