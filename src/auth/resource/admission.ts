/** Admits a verified token: with its scopes, with the proof that it needs, and only while it is not revoked. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { AuthChallenge, AuthResult } from '../../server/ports/authenticate.ts';
import type { createChallenges } from './challenge.ts';
import type { Scheme } from './credentials.ts';
import type { ProofCheck } from './dpop/proof-check.ts';
import type { CachedToken } from './tokens/token-cache.ts';

type MaybeResult = AuthResult | Promise<AuthResult>;

/** Admits or refuses requests. */
export interface Admission {
  /** `proof` is the DPoP proof of the request, if it has one. */
  admit(token: CachedToken, proof: string | undefined, method: string): MaybeResult;
  /** A client that is refused gets the nonce for its next proof. */
  refuse(challenge: AuthChallenge): MaybeResult;
}

const notBound = 'The token is not bound to a key';

export function createAdmission(
  challenges: ReturnType<typeof createChallenges>,
  scopes: readonly string[],
  proofs: ProofCheck | undefined,
): Admission {
  const refuse = (challenge: AuthChallenge): MaybeResult =>
    proofs?.nonces === undefined ? challenge : proofs.nonces.current().then((nonce) => ({ ...challenge, nonce }));

  const withScopes = ({ principal }: CachedToken, scheme: Scheme): AuthResult =>
    scopes.every((scope) => principal.scopes.includes(scope)) ? principal : challenges.insufficient(scheme);

  /** A bound token proves nothing without a proof, and a proof proves nothing about a token that is not bound. */
  function admitBearer(token: CachedToken): MaybeResult {
    if (token.binding !== undefined)
      return refuse(
        challenges.invalid(proofs ? 'DPoP' : 'Bearer', 'The token is bound to a key and needs a DPoP proof'),
      );
    if (proofs?.mode === 'required') return refuse(challenges.invalid('DPoP', notBound));
    return withScopes(token, 'Bearer');
  }

  async function admitWithProof(token: CachedToken, proof: string, method: string): Promise<AuthResult> {
    if (token.binding === undefined) return refuse(challenges.invalid('DPoP', notBound));
    const problem = await proofs?.check(proof, method, token.binding, token.principal);
    return problem === undefined ? withScopes(token, 'DPoP') : refuse(challenges.proof(problem));
  }

  const admitValid = (token: CachedToken, proof: string | undefined, method: string): MaybeResult =>
    proof === undefined ? admitBearer(token) : admitWithProof(token, proof, method);

  const revoked = (proof: string | undefined): MaybeResult =>
    refuse(challenges.invalid(proof === undefined ? 'Bearer' : 'DPoP', 'The token was revoked'));

  return {
    refuse,
    // Most tokens are of an issuer elsewhere, whose revocations are not known here.
    admit: (token, proof, method) =>
      token.isRevoked === undefined
        ? admitValid(token, proof, method)
        : mapped<boolean, AuthResult>(token.isRevoked(), (isRevoked) =>
            isRevoked ? revoked(proof) : admitValid(token, proof, method),
          ),
  };
}
