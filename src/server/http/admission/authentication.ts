/** Authentication: finds the principal of every request before anything of it is served. */
import { TenonError, tenonErrors } from '../../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../../jsonrpc/promise-like.ts';
import { createPrincipal, type Principal, type PrincipalDetails, principalProblem } from '../../ports/principal.ts';
import { type HttpRequest, type HttpResponder, type Refused, refuse } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { Warn } from '../reporting/warnings.ts';
import type { PublicDocument } from './public-documents.ts';

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
  /** The HTTP method. */
  readonly method: string;
  /** The value of a header, its name in lower case. */
  header(name: string): string | undefined;
  /** The request as the runtime has it: `IncomingMessage` on Node, `Request` in a fetch handler. Middleware before the handler may have added the user to it. */
  readonly raw: Raw;
}

/**
 * A principal (`{ issuer, subject }`, or a text that names both; never a token), `{ anonymous: true }`, or a refusal: a
 * challenge, or nothing for 401.
 */
export type AuthResult = string | PrincipalDetails | Anonymous | AuthChallenge | undefined;

/**
 * Finds the principal of a request: `(request) => verify(request.header('authorization'))`, or
 * `({ raw }) => raw.user ?? { anonymous: true }` behind a framework.
 */
export interface Authenticate<Raw = unknown> {
  (request: AuthRequest<Raw>): AuthResult | PromiseLike<AuthResult>;
  /** Documents for clients that have no credentials yet. `protect` of `tenon/auth` sets them. */
  readonly documents?: readonly PublicDocument[];
}

/** Sets the principal of a request and calls `next`, or refuses the request. */
type Authentication = (request: HttpRequest, responder: HttpResponder, next: () => void) => void;

/** How long the callback may take: otherwise the request would stay open for as long as the client likes. */
const maxWaitMs = 30_000;

export function createAuthentication(authenticate: Authenticate<never>, warn: Warn): Authentication {
  const fail = (request: HttpRequest, responder: HttpResponder, cause: unknown): void => {
    const details = { requestId: requestIdOf(request) };
    const late = cause === tooLate;
    const what = late ? `did not return within ${maxWaitMs} ms` : 'failed';
    const more = late ? { details } : { cause, details };
    warn(new TenonError('callback-failed', `authenticate() ${what}; the request was refused.`, more));
    refuse(responder, late || isRetryable(cause) ? unavailable : unknown);
  };

  return (request, responder, next) => {
    const failed = (cause: unknown): void => fail(request, responder, cause);
    const found = (result: AuthResult): void => {
      if (isPrincipal(result)) {
        const problem = typeof result === 'string' ? undefined : principalProblem(result);
        if (problem !== undefined) return failed(new TypeError(`A principal is not valid: ${problem}`));
        request.principal = createPrincipal(result);
        return isExpired(request.principal) ? refuse(responder, expired) : next();
      }
      if (isAnonymous(result)) return next();
      const refusal = refusalOf(result || undefined);
      if (refusal === undefined)
        failed(new TypeError('A challenge must have the status 400, 401 or 403, and a text that a header can hold'));
      else refuse(responder, refusal);
    };
    // A closure, so that `header` still works when the callback destructures it.
    const { method, raw } = request;
    const visible = { method, raw: raw as never, header: (name: string) => request.header(name) };
    call(() => authenticate(visible), found, failed);
  };
}

const isObject = (result: AuthResult): result is Exclude<AuthResult, string | undefined> =>
  typeof result === 'object' && result !== null;

/** What has a challenge is a refusal, whatever else it has. */
const isPrincipal = (result: AuthResult): result is string | PrincipalDetails =>
  isObject(result) ? ('subject' in result || 'issuer' in result) && !('challenge' in result) : Boolean(result);

const isExpired = ({ expiresAt }: Principal): boolean => expiresAt !== undefined && expiresAt <= Date.now();

const isAnonymous = (result: AuthResult): result is Anonymous =>
  isObject(result) && 'anonymous' in result && result.anonymous === true;

const expired: Refused = {
  status: 401,
  text: 'Authentication required',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};

/** An error of a kind that can pass, such as an authorization server that does not answer. */
const isRetryable = (cause: unknown): boolean => cause instanceof TenonError && tenonErrors[cause.code].retry;

const tooLate = Symbol('too late');
const unknown: Refused = { status: 500, text: 'Authentication failed on the server' };
const unavailable: Refused = { ...unknown, status: 503, headers: { 'retry-after': '1' } };

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

const refusalTexts = { 400: 'Malformed credentials', 401: 'Authentication required', 403: 'Forbidden' } as const;
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** `undefined` for a challenge that is not a valid header value, or has another status. */
function refusalOf(given: Partial<AuthChallenge> = {}): Refused | undefined {
  const { challenge = 'Bearer', status = 401, nonce } = given;
  if (!headerText.test(challenge) || !headerText.test(nonce ?? '') || !Object.hasOwn(refusalTexts, status))
    return undefined;
  const text = refusalTexts[status];
  return {
    status,
    text,
    headers: { 'www-authenticate': challenge, ...(nonce !== undefined && { 'dpop-nonce': nonce }) },
  };
}
