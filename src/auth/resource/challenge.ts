/** The challenges of a protected resource: RFC 6750, with the place of its metadata (RFC 9728). */
import { challengeText } from '../../server/http/admission/challenge.ts';
import type { AuthChallenge, ChallengeDetails } from '../../server/ports/authenticate.ts';

export interface Challenges {
  /** For a request without a token. */
  readonly missing: AuthChallenge;
  /** For a token that is not valid; the reason is one of ours. */
  invalid(reason: string): AuthChallenge;
  /** For a header that holds no token in its form. */
  readonly malformed: AuthChallenge;
  /** For a token with too few scopes. */
  readonly insufficient: AuthChallenge;
}

export function createChallenges(details: ChallengeDetails): Challenges {
  return {
    missing: { challenge: challengeText(details) },
    invalid: (description) => ({ challenge: challengeText({ ...details, error: 'invalid_token', description }) }),
    malformed: { challenge: challengeText({ ...details, error: 'invalid_request' }), status: 400 },
    insufficient: { challenge: challengeText({ ...details, error: 'insufficient_scope' }), status: 403 },
  };
}
