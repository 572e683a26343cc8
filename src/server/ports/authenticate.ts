/** Authentication: the function that finds the principal of a request, and how it is called. */
import { TenonError, tenonErrors } from '../../lib/errors/tenon-error.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { createPrincipal, type Principal, type PrincipalDetails, principalProblem } from '../../ports/principal.ts';
import type { Store } from '../../store/store.ts';
import type { Routes } from './routes.ts';

/** Refuses a request, with a challenge that describes how to authenticate. */
export interface AuthChallenge {
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string;
  /** 401, the default; 403 for a known client that is not allowed; 400 for credentials that are malformed. */
  readonly status?: 400 | 401 | 403;
  /** The value of the header `DPoP-Nonce`, which the client puts into its next proof (RFC 9449). */
  readonly nonce?: string;
}

/** Admits a request without a principal. */
export interface Anonymous {
  /** Admits the request without a user. */
  readonly anonymous: true;
}

/** The request that `authenticate` receives. */
export interface AuthRequest<Raw = unknown> {
  /** The HTTP method; `POST` for a message of another transport. */
  readonly method: string;
  /** The value of a header, its name in lower case. A message of another transport has `authorization` alone, from its `_meta.authorization`. */
  header(name: string): string | undefined;
  /** The IP address of the client, behind `trustedProxies` the one that they forwarded; empty if it is not known, absent on other transports. */
  readonly address?: string | undefined;
  /** The request as the runtime has it: `IncomingMessage` on Node, `Request` in a fetch handler. Middleware before the handler may have added the user to it. */
  readonly raw: Raw;
}

/**
 * A principal (`{ issuer, subject }`, or a text that names both; never a token), `{ anonymous: true }`, or a refusal: a
 * challenge, or nothing for 401.
 */
export type AuthResult = string | PrincipalDetails | Anonymous | AuthChallenge | undefined;

/** A JSON document that is served without authentication, to pages of every origin. */
export interface PublicDocument {
  /** The paths where it is served, such as `/.well-known/oauth-protected-resource`. */
  readonly paths: readonly string[];
  /** The document. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** What all challenges of an endpoint have in common. */
export interface ChallengeDetails {
  /** The authentication schemes that are accepted; there is a challenge for each. Default `Bearer`. */
  readonly schemes?: readonly ('Bearer' | 'DPoP')[];
  /** The signature algorithms of DPoP proofs. */
  readonly algorithms?: readonly string[];
  /** The URL of the metadata of the protected resource (RFC 9728). */
  readonly resourceMetadata?: string;
  /** The scopes that every request needs. */
  readonly scopes?: readonly string[];
}

/**
 * Finds the principal of a request: `(request) => verify(request.header('authorization'))`, or
 * `({ raw }) => raw.user ?? { anonymous: true }` behind a framework.
 */
export interface Authenticate<Raw = unknown> {
  (request: AuthRequest<Raw>): AuthResult | PromiseLike<AuthResult>;
  /** Documents for clients that have no credentials yet. `protect` of `tenon/auth` sets them. */
  readonly documents?: readonly PublicDocument[];
  /** For the challenges of calls that middleware or `scopes` refuse. `protect` of `tenon/auth` sets it. */
  readonly challengeDetails?: ChallengeDetails;
  /**
   * Called with the store of the server, where there is one; returns a function that is called when the server closes.
   * `protect` of `tenon/auth` sets it, so that a DPoP proof is used once on all nodes.
   */
  readonly useStore?: (store: Store) => () => void;
  /** Paths that are served beside the endpoint. `protect` sets them for `authorizationServer()` of `tenon/auth-server`. */
  readonly routes?: Routes;
}

/** Why a request is not admitted. */
export type AuthRefusal =
  | {
      readonly kind: 'challenge';
      readonly status: 400 | 401 | 403;
      readonly challenge: string | undefined;
      readonly nonce: string | undefined;
    }
  | { readonly kind: 'expired' }
  /** `mayPass`: a later request may be admitted. */
  | { readonly kind: 'failed'; readonly error: TenonError; readonly mayPass: boolean };

/** Gets the principal of a request, if it has one, or why it is refused. */
type Decided = (principal: Principal | undefined, refusal?: AuthRefusal) => void;

/**
 * How long `authenticate` may take, on stdio too.
 * @limit HTTP
 * @beyond 503; on stdio `overloaded`
 * @code callback-failed
 */
const maxWaitMs = 30_000;

/** Calls `authenticate` and decides by its result, at once if it returns no promise. */
export function decide<Raw>(authenticate: Authenticate<Raw>, request: AuthRequest<Raw>, decided: Decided): void {
  const failed = (cause: unknown): void => decided(undefined, failure(cause));
  const found = (result: AuthResult): void => {
    if (isPrincipal(result)) {
      const problem = typeof result === 'string' ? undefined : principalProblem(result);
      if (problem !== undefined) return failed(new TypeError(`A principal is not valid: ${problem}`));
      const principal = createPrincipal(result);
      return isExpired(principal) ? decided(undefined, { kind: 'expired' }) : decided(principal);
    }
    if (isAnonymous(result)) return decided(undefined);
    const { challenge, status = 401, nonce }: Partial<AuthChallenge> = result || {};
    if (statuses.has(status) && headerText.test(challenge ?? '') && headerText.test(nonce ?? ''))
      decided(undefined, { kind: 'challenge', status, challenge, nonce });
    else failed(new TypeError('A challenge must have the status 400, 401 or 403, and a text that a header can hold'));
  };
  call(() => authenticate(request), found, failed);
}

const statuses: ReadonlySet<number> = new Set([400, 401, 403]);
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

function failure(cause: unknown): AuthRefusal {
  const isLate = cause === tooLate;
  const text = `authenticate() ${isLate ? `did not return within ${maxWaitMs} ms` : 'failed'}; the request was refused.`;
  const error = new TenonError('callback-failed', text, isLate ? {} : { cause });
  return { kind: 'failed', error, mayPass: isLate || isRetryable(cause) };
}

const isObject = (result: AuthResult): result is Exclude<AuthResult, string | undefined> =>
  typeof result === 'object' && result !== null;

/** What has a challenge is a refusal, whatever else it has. */
const isPrincipal = (result: AuthResult): result is string | PrincipalDetails =>
  isObject(result) ? ('subject' in result || 'issuer' in result) && !('challenge' in result) : Boolean(result);

const isExpired = ({ expiresAt }: Principal): boolean => expiresAt !== undefined && expiresAt <= Date.now();

const isAnonymous = (result: AuthResult): result is Anonymous =>
  isObject(result) && 'anonymous' in result && result.anonymous === true;

/** An error of a kind that can pass, such as an authorization server that does not answer. */
const isRetryable = (cause: unknown): boolean => cause instanceof TenonError && tenonErrors[cause.code].retry;

const tooLate = Symbol('too late');

/** Runs a callback that may return a promise. Passes its value to `found`, or its failure to `failed`. */
function call<T>(
  callback: () => T | PromiseLike<T>,
  found: (value: T) => void,
  failed: (cause: unknown) => void,
): void {
  let result: T | PromiseLike<T>;
  try {
    result = callback();
  } catch (error) {
    return failed(error);
  }
  if (isPromiseLike(result)) wait(result, found, failed);
  else found(result);
}

/** Only the first outcome counts: the value, a failure or the timeout. */
function wait<T>(result: PromiseLike<T>, found: (value: T) => void, failed: (cause: unknown) => void): void {
  let state: 'waiting' | 'finished' = 'waiting';
  const finish = (): boolean => {
    const before = state;
    state = 'finished';
    clearTimeout(timeout);
    return before === 'waiting';
  };
  const timeout = setTimeout(() => finish() && failed(tooLate), maxWaitMs);
  // Only the connection of the request keeps the process alive, not this timer.
  (timeout as { unref?(): void }).unref?.();
  Promise.resolve(result).then(
    (value) => finish() && found(value),
    (cause) => finish() && failed(cause),
  );
}
