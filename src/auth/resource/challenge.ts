/** The challenges of a protected resource: RFC 6750 and RFC 9449, with the place of its metadata (RFC 9728). */
import { challengeText } from '../../server/http/admission/challenge.ts';
import type { AuthChallenge, ChallengeDetails } from '../../server/ports/authenticate.ts';
import type { Scheme } from './credentials.ts';
import type { DpopMode } from './dpop/options.ts';
import type { ProofProblem } from './dpop/proof-check.ts';
import { proofAlgorithms } from './tokens/algorithms.ts';

export interface Challenges {
  /** What all challenges have in common, also those of calls that middleware or `scopes` refuse. */
  readonly details: ChallengeDetails;
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
  resourceMetadata: string,
  scopes: readonly string[],
  dpop: DpopMode | undefined,
): Challenges {
  // Bearer first: some clients read only the first challenge.
  const schemes: Scheme[] = dpop === undefined ? ['Bearer'] : dpop === 'required' ? ['DPoP'] : ['Bearer', 'DPoP'];
  const details: ChallengeDetails = { schemes, algorithms: proofAlgorithms, resourceMetadata, scopes };
  const text = (scheme: Scheme, error: string, description?: string): string =>
    challengeText({ ...details, schemes: [scheme], error, description });
  return {
    details,
    missing: { challenge: challengeText(details) },
    invalid: (scheme, reason) => ({ challenge: text(scheme, 'invalid_token', reason) }),
    malformed: (scheme) => ({ challenge: text(scheme, 'invalid_request'), status: 400 }),
    insufficient: (scheme) => ({ challenge: text(scheme, 'insufficient_scope'), status: 403 }),
    proof: ({ error, reason }) => ({ challenge: text('DPoP', error, reason) }),
  };
}
