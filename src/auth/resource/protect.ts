/** Protects a server with access tokens: a ready-made `authenticate` with its metadata. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Authenticate, AuthResult, ChallengeDetails, PublicDocument } from '../../server/ports/authenticate.ts';
import { createPrincipal, type Principal, principalProblem } from '../../server/ports/principal.ts';
import { createTokenVerifier, type Refusal } from './access-token.ts';
import { createChallenges } from './challenge.ts';
import { withImplied } from './implied-scopes.ts';
import { KeySet } from './key-set.ts';
import { metadataDocument, metadataUrl } from './metadata.ts';
import { type ProtectOptions, readIssuers, type VerifyToken } from './options.ts';
import { TokenCache } from './token-cache.ts';

/** What `protect` returns: the option `authenticate` of `serveHttp`, `toNodeHandler` and `toFetchHandler`. */
export interface Protection extends Authenticate {
  /** The metadata of the protected resource; the endpoint serves it. */
  readonly documents: readonly PublicDocument[];
  /** The metadata and the scopes that its challenges name. */
  readonly challengeDetails: ChallengeDetails;
}

/**
 * Makes a server an OAuth 2.1 resource server: each request needs an access token that one of the issuers has issued for
 * `resource`. Throws `invalid-argument` for a wrong option.
 *
 * ```ts
 * await serveHttp(server, {
 *   authenticate: protect({ issuer: 'https://id.example.com', resource: 'https://mcp.example.com/mcp' }),
 * });
 * ```
 */
export function protect(options: ProtectOptions): Protection {
  const issuers = readIssuers(options);
  const {
    resource,
    verify,
    scopes = [],
    impliedScopes = {},
    limits: { maxTokenBytes = 8192, maxCachedTokens = 10_000, cacheMs = 300_000 } = {},
  } = options;
  const challengeDetails = { resourceMetadata: metadataUrl(resource), scopes };
  const challenges = createChallenges(challengeDetails);
  const cache = new TokenCache(maxCachedTokens, cacheMs);
  const ports = { warn: (error: TenonError) => options.onWarning?.(error), keyRemoved: () => cache.clear() };
  const keySets = new Map(issuers.map((issuer) => [issuer.issuer, new KeySet(issuer, ports)]));
  const check = verify === undefined ? createTokenVerifier(keySets, options) : byFunction(verify);

  const admitted = (principal: Principal): AuthResult =>
    scopes.every((scope) => principal.scopes.includes(scope)) ? principal : challenges.insufficient;

  async function verifyAndAdmit(token: string): Promise<AuthResult> {
    const found = await check(token);
    if ('refused' in found) return challenges.invalid(found.refused);
    const principal = withImplied(found, impliedScopes);
    cache.add(token, principal);
    return admitted(principal);
  }

  const authenticate: Authenticate = ({ header }) => {
    const sent = header('authorization');
    if (sent === undefined || !/^bearer(?: |$)/i.test(sent)) return challenges.missing;
    if (sent.length > maxTokenBytes + prefixLength) return challenges.invalid('The token is too long');
    const token = bearerToken.exec(sent)?.[1];
    if (token === undefined) return challenges.malformed;
    const known = cache.get(token);
    return known === undefined ? verifyAndAdmit(token) : admitted(known);
  };
  return Object.assign(authenticate, { documents: [metadataDocument(options, issuers)], challengeDetails });
}

const prefixLength = 'Bearer '.length;
/** RFC 6750, 2.1. */
const bearerToken = /^bearer +([\w.~+/-]+=*)$/i;

/** An error of the function may quote the token, so that its text is masked and its cause is not passed on. */
const byFunction =
  (verify: VerifyToken) =>
  async (token: string): Promise<Principal | Refusal> => {
    const found = await Promise.resolve(token)
      .then(verify)
      .catch((error: unknown) => {
        const text = (error instanceof Error ? error.message : String(error)).replaceAll(token, '[masked]');
        throw new TenonError('callback-failed', `verify() of protect() failed: ${text}`);
      });
    if (found === undefined || found === null) return { refused: 'The token is not valid' };
    const problem = principalProblem(found);
    if (problem !== undefined)
      throw new TenonError(
        'callback-failed',
        `verify() of protect() returned a principal that is not valid: ${problem}.`,
      );
    const isExpired = found.expiresAt !== undefined && found.expiresAt <= Date.now();
    return isExpired ? { refused: 'The token has expired' } : createPrincipal(found);
  };
