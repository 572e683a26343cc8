/** The challenges of a protected resource: RFC 6750, with the place of its metadata (RFC 9728). */
import type { AuthChallenge } from '../../server/http/admission/authentication.ts';

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

export function createChallenges(metadataUrl: string, scopes: readonly string[]): Challenges {
  const where = `resource_metadata="${metadataUrl}"`;
  const scope = scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`;
  return {
    missing: { challenge: `Bearer ${where}${scope}` },
    invalid: (reason) => ({
      challenge: `Bearer error="invalid_token", error_description="${reason}", ${where}${scope}`,
    }),
    malformed: { challenge: `Bearer error="invalid_request", ${where}${scope}`, status: 400 },
    insufficient: { challenge: `Bearer error="insufficient_scope"${scope}, ${where}`, status: 403 },
  };
}
