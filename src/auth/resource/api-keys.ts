/** API keys: a ready-made `authenticate` that finds a key by its id and compares its hash. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createPrincipal, type Principal } from '../../ports/principal.ts';
import { challengeText } from '../../server/http/admission/challenge.ts';
import type { AuthChallenge, Authenticate, AuthResult } from '../../server/ports/authenticate.ts';
import { hasHash, hashBytes, idOf, isApiKey } from './api-key.ts';
import { apiKeyProblem, readApiKeysOptions } from './api-key-check.ts';
import type { ApiKeysOptions } from './api-key-options.ts';

/**
 * Admits requests with an API key, in the header `Authorization: Bearer …` or `X-Api-Key`. Only hashes of the keys are
 * stored. Throws `invalid-argument` for a wrong option.
 *
 * ```ts
 * const { id, key, hash } = await generateApiKey(); // give key to its user, store id and hash
 * await serveHttp(server, { authenticate: protectWithApiKeys({ keys: [{ id, hash, subject: 'ada', scopes: ['files:read'] }] }) });
 * ```
 */
export function protectWithApiKeys(options: ApiKeysOptions): Authenticate {
  const { keys = [], issuer, scopes, otherwise, ...settings } = readApiKeysOptions(options);
  const byId = new Map(keys.map((key) => [key.id, key]));
  const lookup = settings.lookup ?? ((id: string) => byId.get(id));
  const challengeDetails = otherwise === undefined ? { scopes } : (otherwise.challengeDetails ?? {});
  const challenge = (error?: string, description?: string, status: AuthChallenge['status'] = 401): AuthChallenge => ({
    challenge: challengeText({ ...challengeDetails, schemes: ['Bearer'], scopes, error, description }),
    status,
  });
  const missing = challenge();
  const invalid = challenge('invalid_token', 'The API key is not valid');
  const expired = challenge('invalid_token', 'The API key has expired');
  const insufficient = challenge('insufficient_scope', undefined, 403);
  const malformed = challenge('invalid_request', 'The request has two credentials', 400);
  // For an unknown id a hash is compared as well: the time of an answer does not reveal which ids exist. It is made at
  // the first request: workers make no random values while a module loads.
  let noHash: Uint8Array | undefined;

  async function check(key: string): Promise<AuthResult> {
    const id = idOf(key);
    const found = id === undefined ? undefined : ((await lookup(id)) ?? undefined);
    const problem = found && apiKeyProblem(found, issuer);
    if (problem !== undefined)
      throw new TenonError(
        'callback-failed',
        `lookup() of protectWithApiKeys() returned a key that is not valid: ${problem}.`,
      );
    noHash ??= crypto.getRandomValues(new Uint8Array(32));
    const isSame = await hasHash(key, hashBytes(found?.hash) ?? noHash);
    if (found === undefined || found.id !== id || !isSame) return invalid;
    const { id: _id, hash: _hash, ...details } = found;
    const principal = createPrincipal({ issuer, ...details });
    if (options.lookup === undefined) verified.set(key, principal);
    return admitted(principal);
  }

  function admitted(principal: Principal): AuthResult {
    if (principal.expiresAt !== undefined && principal.expiresAt <= Date.now()) return expired;
    return scopes.every((scope) => principal.scopes.includes(scope)) ? principal : insufficient;
  }

  /** Keys of `keys` that were verified, with their principals: they never change, so that each is hashed once. */
  const verified = new Map<string, Principal>();

  function checkOrKnown(key: string): AuthResult | Promise<AuthResult> {
    const known = verified.get(key);
    return known === undefined ? check(key) : admitted(known);
  }

  const authenticate: Authenticate = (request) => {
    const alone = request.header('x-api-key');
    const authorization = request.header('authorization');
    if (alone !== undefined) return authorization === undefined ? checkOrKnown(alone) : malformed;
    const bearer = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (bearer !== undefined && (isApiKey(bearer) || otherwise === undefined)) return checkOrKnown(bearer);
    return otherwise === undefined ? missing : otherwise(request);
  };
  return Object.assign(authenticate, {
    challengeDetails,
    ...(otherwise?.documents && { documents: otherwise.documents }),
    ...(otherwise?.useStore && { useStore: otherwise.useStore }),
    ...(otherwise?.routes && { routes: otherwise.routes }),
  });
}
