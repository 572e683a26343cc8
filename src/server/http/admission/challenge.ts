/** Challenges: the one place that writes the header WWW-Authenticate (RFC 6750, RFC 9449, RFC 9728). */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { isGuardRefusal } from '../../../ports/guard.ts';
import type { Principal } from '../../../ports/principal.ts';
import { errorStatus, isChallenge } from '../../../protocol/errors.ts';
import { isScope } from '../../checks/scopes.ts';
import type { ChallengeDetails } from '../../ports/authenticate.ts';
import type { HttpHeaders } from '../message.ts';
import { isRetryable, withRetryAfter } from './retry-after.ts';

interface Challenge extends ChallengeDetails {
  /** Absent where the request has no credentials (RFC 6750, 3.1). */
  readonly error?: string | undefined;
  readonly description?: string | undefined;
}

/** The value of the header: a challenge for each scheme. */
export const challengeText = ({ schemes = ['Bearer'], ...challenge }: Challenge): string =>
  schemes.map((scheme) => challengeFor(scheme, challenge)).join(', ');

function challengeFor(scheme: 'Bearer' | 'DPoP', challenge: Omit<Challenge, 'schemes'>): string {
  const { error, description, algorithms = [], resourceMetadata, scopes = [] } = challenge;
  const parameters = {
    error,
    error_description: description,
    algs: scheme === 'DPoP' ? joinedOrNone(algorithms) : undefined,
    resource_metadata: resourceMetadata,
    scope: joinedOrNone(scopes),
  };
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}="${value.replace(/["\\]/g, '\\$&').replace(/[^\t\x20-\x7e]/g, '')}"`,
  );
  return written.length === 0 ? scheme : `${scheme} ${written.join(', ')}`;
}

const joinedOrNone = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : names.join(' ');

/** The HTTP status of an error in the lifecycle where errors of calls are 200: not those that the client acts on before it repeats the request. */
export const statusOfCall = (error: RpcError): number =>
  isChallenge(error) || isRetryable(error) || isGuardRefusal(error) ? errorStatus(error.reason) : 200;

/** The headers of a response that is this error alone. */
export function refusalHeaders(
  headers: HttpHeaders,
  error: RpcError,
  principal: Principal | undefined,
  details: ChallengeDetails,
): HttpHeaders {
  const all = withRetryAfter(headers, error);
  if (!isChallenge(error)) return all;
  return { ...all, 'www-authenticate': challengeText({ ...details, ...challengeOf(error, principal, details) }) };
}

/** The scopes of a step-up include those that the client has, so that it loses none (minus `offline_access`, which is no scope of a resource). */
function challengeOf(
  { reason, data }: RpcError,
  principal: Principal | undefined,
  { scopes = [] }: ChallengeDetails,
): Challenge {
  const needed = scopesIn(data);
  if (reason === 'insufficient-scope')
    return { error: 'insufficient_scope', scopes: joined(scopes, principal?.scopes ?? [], needed) };
  return { error: principal && 'invalid_token', scopes: joined(scopes, needed) };
}

const joined = (...lists: readonly (readonly string[])[]): readonly string[] => [
  ...new Set(lists.flat().filter((scope) => isScope(scope) && scope !== 'offline_access')),
];

/** `data.scope` of an error, as middleware or a definition has set it: scopes with spaces between them. */
const scopesIn = (data: unknown): readonly string[] =>
  isRecord(data) && typeof data.scope === 'string' ? data.scope.split(' ') : [];
