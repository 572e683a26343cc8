/** The challenges of a protected resource: RFC 6750 and RFC 9449, with the place of its metadata (RFC 9728). */
import type { AuthChallenge } from '../../server/http/admission/authentication.ts';
import type { Scheme } from './credentials.ts';
import type { DpopMode } from './dpop/options.ts';
import type { ProofProblem } from './dpop/proof-check.ts';
import { proofAlgorithms } from './tokens/algorithms.ts';

export interface Challenges {
  /** For a request without a token: every scheme that is accepted. */
  readonly missing: AuthChallenge;
  /** For a token that is not valid; the reason is one of ours. */
  invalid(scheme: Scheme, reason: string): AuthChallenge;
  /** For a header that holds no token in its form. */
  malformed(scheme: Scheme): AuthChallenge;
  /** For a token with too few scopes. */
  insufficient(scheme: Scheme): AuthChallenge;
  /** For a DPoP proof that is not accepted. */
  proof(problem: ProofProblem): AuthChallenge;
}

export function createChallenges(
  metadataUrl: string,
  scopes: readonly string[],
  dpop: DpopMode | undefined,
): Challenges {
  const where = `resource_metadata="${metadataUrl}"`;
  const scope = scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`;
  const rest = (scheme: Scheme): string =>
    `${scheme === 'DPoP' ? `algs="${proofAlgorithms.join(' ')}", ` : ''}${where}${scope}`;
  const error = (scheme: Scheme, code: string, reason: string): string =>
    `${scheme} error="${code}", error_description="${reason}", ${rest(scheme)}`;
  return {
    missing: {
      // Bearer first: some clients read only the first challenge.
      challenge: [
        ...(dpop === 'required' ? [] : (['Bearer'] as const)),
        ...(dpop === undefined ? [] : (['DPoP'] as const)),
      ]
        .map((scheme) => `${scheme} ${rest(scheme)}`)
        .join(', '),
    },
    invalid: (scheme, reason) => ({ challenge: error(scheme, 'invalid_token', reason) }),
    malformed: (scheme) => ({ challenge: `${scheme} error="invalid_request", ${rest(scheme)}`, status: 400 }),
    insufficient: (scheme) => ({ challenge: `${scheme} error="insufficient_scope"${scope}, ${where}`, status: 403 }),
    proof: (problem) => ({ challenge: error('DPoP', problem.error, problem.reason) }),
  };
}
