/** Protects a server with access tokens: a ready-made `authenticate` with its metadata. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { mapped } from '../../lib/values/maybe-promise.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import { createPrincipal, type Principal, principalProblem } from '../../ports/principal.ts';
import { shareOf } from '../../ports/share.ts';
import type {
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
  ChallengeDetails,
  PublicDocument,
} from '../../server/ports/authenticate.ts';
import { joinedRoutes } from '../../server/ports/routes.ts';
import { createChallenges } from './challenge.ts';
import { readCredentials, type Scheme } from './credentials.ts';
import { ProofCheck } from './dpop/proof-check.ts';
import { KeySet } from './key-set.ts';
import { metadataDocument, metadataUrl } from './metadata.ts';
import type { ProtectOptions, VerifyToken } from './options.ts';
import { readProtectOptions } from './settings.ts';
import { sha256Text } from './sha256.ts';
import { createTokenVerifier, type Refusal, type VerifiedToken } from './tokens/access-token.ts';
import { createIntrospection } from './tokens/introspection.ts';
import { type CachedToken, TokenCache } from './tokens/token-cache.ts';

/** What `protect` returns: the option `authenticate` of `serveHttp`, `toNodeHandler` and `toFetchHandler`. */
export interface Protection extends Authenticate {
  /** The metadata of the protected resource; the endpoint serves it. */
  readonly documents: readonly PublicDocument[];
  /** The scheme, the metadata and the scopes that its challenges name. */
  readonly challengeDetails: ChallengeDetails;
}

type MaybeResult = AuthResult | Promise<AuthResult>;

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
  const own = new Map(issuers.flatMap((issuer) => (issuer.own === undefined ? [] : [[issuer.issuer, issuer.own]])));

  /** A client that is refused gets the nonce for its next proof. */
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

  /** Only an authorization server in this process says what was revoked: at once, unless it has to read its store. */
  const admit = (token: CachedToken, proof: string | undefined, method: string): MaybeResult =>
    token.isRevoked === undefined
      ? admitValid(token, proof, method)
      : mapped<boolean, AuthResult>(token.isRevoked(), (isRevoked) =>
          isRevoked
            ? refuse(challenges.invalid(proof === undefined ? 'Bearer' : 'DPoP', 'The token was revoked'))
            : admitValid(token, proof, method),
        );

  function revocationOf({ principal, issuedAt = 0 }: VerifiedToken): CachedToken['isRevoked'] {
    const { issuer, subject, client } = principal;
    const server = own.get(issuer);
    return server && (() => server.isRevoked({ subject, client, issuedAt }));
  }

  async function verifyAndAdmit(text: string, proof: string | undefined, request: AuthRequest): Promise<AuthResult> {
    const { method, address } = request;
    const { generation } = cache;
    const found = await check(text, shareOf({ address }));
    if ('refused' in found) return refuse(challenges.invalid(proof === undefined ? 'Bearer' : 'DPoP', found.refused));
    const binding = found.jkt === undefined ? undefined : { jkt: found.jkt, ath: await sha256Text(text) };
    const isRevoked = revocationOf(found);
    const token = { principal: withImplied(found.principal, impliedScopes), binding, isRevoked };
    cache.add(text, token, generation);
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
  const useStore = joinedUse([
    proofs && ((store) => proofs.useStore(store)),
    ...[...own.values()].map((one) => one.useStore),
  ]);
  const routes = joinedRoutes([...own.values()].map((one) => one.routes));
  return Object.assign(authenticate, {
    documents,
    challengeDetails: challenges.details,
    ...(useStore && { useStore }),
    ...(routes && { routes }),
  });
}

type UseStore = NonNullable<Authenticate['useStore']>;

function joinedUse(all: readonly (UseStore | undefined)[]): UseStore | undefined {
  const uses = all.filter((use) => use !== undefined);
  if (uses.length === 0) return undefined;
  return (store) => {
    const ends = uses.map((use) => use(store));
    return () => {
      for (const end of ends) end();
    };
  };
}

const bearer = 'Bearer ';
const notBound = 'The token is not bound to a key';
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
