/** Authentication: finds the principal of every request before anything of it is served. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../../jsonrpc/promise-like.ts';
import { type HttpRequest, type HttpResponder, type Refused, refuse } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { Warn } from '../reporting/warnings.ts';

/** A refusal with the challenge that tells the client how to authenticate. */
export interface AuthChallenge {
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string;
  /** Default 401; 403 for a known client that is not allowed. */
  readonly status?: 401 | 403;
}

type Found = string | undefined | AuthChallenge;

/** Returns issuer and subject of the sender, never a token; the request is refused without one, or with a challenge. */
export type Authenticate = (request: Pick<HttpRequest, 'method' | 'header'>) => Found | PromiseLike<Found>;

/** Sets the principal of a request and goes on with `next`, or refuses the request. */
type Authentication = (request: HttpRequest, responder: HttpResponder, next: () => void) => void;

/** How long a callback may take; the request would stay open for as long as its sender likes otherwise. */
const maxWaitMs = 30_000;

/** Without `authenticate` every request passes, with the principal that the runtime knows, if any. */
export function createAuthentication(authenticate: Authenticate | undefined, warn: Warn): Authentication {
  const fail = (request: HttpRequest, responder: HttpResponder, callback: string, cause: unknown): void => {
    const details = { requestId: requestIdOf(request) };
    const late = cause === tooLate;
    const what = late ? `gave nothing within ${maxWaitMs} ms` : 'failed';
    const more = late ? { details } : { cause, details };
    warn(new TenonError('callback-failed', `${callback}() ${what}; the request was refused.`, more));
    refuse(responder, late ? unavailable : unknown);
  };

  const runAuthenticate: Authentication = (request, responder, next) => {
    if (authenticate === undefined) return next();
    const failed = (cause: unknown): void => fail(request, responder, 'authenticate', cause);
    const found = (result: Found): void => {
      if (typeof result === 'string' && result !== '') {
        request.principal = result;
        return next();
      }
      const refusal = refusalOf(result || undefined);
      if (refusal === undefined)
        failed(new TypeError('A challenge has the status 401 or 403, and the text of a header'));
      else refuse(responder, refusal);
    };
    // A closure, so that `header` still works when the callback destructures it.
    const visible = { method: request.method, header: (name: string) => request.header(name) };
    call(() => authenticate(visible), found, failed);
  };

  return (request, responder, next) => {
    const { recognize } = request;
    if (recognize === undefined) return runAuthenticate(request, responder, next);
    const found = (principal: string | undefined): void => {
      request.principal = principal ?? undefined;
      runAuthenticate(request, responder, next);
    };
    call(recognize, found, (cause) => fail(request, responder, 'principal', cause));
  };
}

const tooLate = Symbol('too late');
const unknown: Refused = { status: 500, text: 'Authentication failed on the server' };
const unavailable: Refused = { ...unknown, status: 503, headers: { 'retry-after': '1' } };

/** Runs a callback of the author, which may return a promise, and passes on its value or its failure. */
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
  // The connection of the request keeps the process alive, if anything does.
  (timeout as { unref?(): void }).unref?.();
  Promise.resolve(result).then(
    (value) => finish() && found(value),
    (cause) => finish() && failed(cause),
  );
}

const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** `undefined` for a challenge that no response can hold. */
function refusalOf({ challenge = 'Bearer', status = 401 }: Partial<AuthChallenge> = {}): Refused | undefined {
  if (!headerText.test(challenge) || (status !== 401 && status !== 403)) return undefined;
  const text = status === 403 ? 'Forbidden' : 'Authentication required';
  return { status, text, headers: { 'www-authenticate': challenge } };
}
