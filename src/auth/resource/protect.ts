/** Protects a server with access tokens: a ready-made `authenticate` with its metadata. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import { createPrincipal, type Principal, principalProblem } from '../../ports/principal.ts';
import { shareOf } from '../../ports/share.ts';
import type {
  Authenticate,
  AuthRequest,
  AuthResult,
  ChallengeDetails,
  PublicDocument,
} from '../../server/ports/authenticate.ts';
import { createAdmission } from './admission.ts';
import { createChallenges } from './challenge.ts';
import { readCredentials } from './credentials.ts';
import { ProofCheck } from './dpop/proof-check.ts';
import { inboundTokensIn } from './inbound-tokens.ts';
import { KeySet } from './key-set.ts';
import { metadataDocument, metadataUrl } from './metadata.ts';
import type { ProtectOptions, VerifyToken } from './options.ts';
import { createOwnIssuers } from './own-issuers.ts';
import { readProtectOptions } from './settings.ts';
import { sha256Text } from './sha256.ts';
import { createTokenVerifier, type Refusal, type VerifiedToken } from './tokens/access-token.ts';
import { createIntrospection } from './tokens/introspection.ts';
import { TokenCache } from './tokens/token-cache.ts';

/** What `protect` returns: the option `authenticate` of `serveHttp`, `toNodeHandler` and `toFetchHandler`. */
export interface Protection extends Authenticate {
  /** The metadata of the protected resource; the endpoint serves it. */
  readonly documents: readonly PublicDocument[];
  /** The scheme, the metadata and the scopes that its challenges name. */
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
  const settings = readProtectOptions(options);
  const { issuers, dpop, resource, verify, scopes, impliedScopes = {}, limits, onWarning } = settings;
  const { maxTokenBytes, maxCachedTokens, cacheMs } = limits;
  const proofs = dpop && new ProofCheck(dpop, resource, limits);
  const challenges = createChallenges(metadataUrl(resource), scopes, proofs?.mode);
  const cache = new TokenCache(maxCachedTokens, cacheMs);
  const ports = {
    warn: (error: TenonError) => runSafely(() => onWarning?.(error)),
    keyRemoved: () => cache.clear(),
  };
  const keySets = new Map(issuers.map((issuer) => [issuer.issuer, new KeySet(issuer, ports)]));
  const opaque = issuers.find(({ introspection }) => introspection !== undefined);
  const introspect = opaque?.introspection && createIntrospection(opaque, opaque.introspection, settings);
  const check = verify === undefined ? createTokenVerifier(keySets, settings, introspect) : byFunction(verify);
  const inbound = inboundTokensIn(options);
  const { revocationOf, ...served } = createOwnIssuers(issuers, proofs && ((store) => proofs.useStore(store)));
  const { admit, refuse } = createAdmission(challenges, scopes, proofs);

  async function verifyAndAdmit(text: string, proof: string | undefined, request: AuthRequest): Promise<AuthResult> {
    const { method, address } = request;
    const { generation } = cache;
    const found = await check(text, shareOf({ address }));
    if ('refused' in found) return refuse(challenges.invalid(proof === undefined ? 'Bearer' : 'DPoP', found.refused));
    const binding = found.jkt === undefined ? undefined : { jkt: found.jkt, ath: await sha256Text(text) };
    const isRevoked = revocationOf(found);
    const token = { principal: withImplied(found.principal, impliedScopes), binding, isRevoked };
    cache.add(text, token, generation);
    inbound?.add(token.principal, text);
    return admit(token, proof, method);
  }

  const authenticate: Authenticate = (request: AuthRequest) => {
    const { header, method } = request;
    const sent = header('authorization');
    // A known bearer token needs no reading: only verified ones are in the cache.
    const verified = sent?.startsWith(bearer) ? cache.get(sent.slice(bearer.length)) : undefined;
    if (verified !== undefined) return admit(verified, undefined, method);
    const credentials = readCredentials(sent);
    if (sent === undefined || credentials === undefined) return refuse(challenges.missing);
    const { scheme, token } = credentials;
    if (scheme === 'DPoP' && proofs === undefined) return challenges.missing;
    if (sent.length > maxTokenBytes + bearer.length) return refuse(challenges.invalid(scheme, 'The token is too long'));
    if (token === undefined) return refuse(challenges.malformed(scheme));
    const proof = scheme === 'DPoP' ? header('dpop') : undefined;
    if (scheme === 'DPoP' && proof === undefined) return refuse(challenges.proof(noProof));
    const known = cache.get(token);
    return known === undefined ? verifyAndAdmit(token, proof, request) : admit(known, proof, method);
  };
  const documents = [metadataDocument(settings, issuers, proofs?.mode)];
  return Object.assign(authenticate, { documents, challengeDetails: challenges.details, ...served });
}

const bearer = 'Bearer ';
const noProof = { error: 'invalid_dpop_proof', reason: 'The request has no DPoP proof' } as const;

type ImpliedScopes = Readonly<Record<string, readonly string[]>>;

/** The principal with all scopes that its own include, directly or through others. */
function withImplied(principal: Principal, implied: ImpliedScopes): Principal {
  const all = new Set(principal.scopes);
  // A set visits what is added meanwhile, each scope once: a circle ends.
  for (const scope of all)
    if (Object.hasOwn(implied, scope)) for (const narrower of implied[scope] ?? []) all.add(narrower);
  if (all.size === principal.scopes.length) return principal;
  const { issuer, subject, client, roles, claims, expiresAt } = principal;
  return createPrincipal({ issuer, subject, client, roles, claims, expiresAt, scopes: [...all] });
}

/** An error of the function may quote the token, so that its text is masked and its cause is not passed on. */
const byFunction =
  (verify: VerifyToken) =>
  async (token: string): Promise<VerifiedToken | Refusal> => {
    let found: Awaited<ReturnType<VerifyToken>>;
    try {
      found = await verify(token);
    } catch (error) {
      const text = (error instanceof Error ? error.message : String(error)).replaceAll(token, '[masked]');
      throw new TenonError('callback-failed', `verify() of protect() failed: ${text}`);
    }
    if (found === undefined || found === null) return { refused: 'The token is not valid' };
    const problem = principalProblem(found) ?? thumbprintProblem(found.jkt);
    if (problem !== undefined)
      throw new TenonError(
        'callback-failed',
        `verify() of protect() returned a principal that is not valid: ${problem}.`,
      );
    const isExpired = found.expiresAt !== undefined && found.expiresAt <= Date.now();
    return isExpired ? { refused: 'The token has expired' } : { principal: createPrincipal(found), jkt: found.jkt };
  };

const thumbprintProblem = (jkt: unknown): string | undefined =>
  jkt === undefined || (typeof jkt === 'string' && jkt !== '') ? undefined : 'jkt must be a text that is not empty';
