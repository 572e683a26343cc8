/** Who sends a request: asked of a port for every request, before anything of it is served. */

import { TenonError } from '../../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../../jsonrpc/promise-like.ts';
import { type HttpRequest, type HttpResponder, type Refused, refuse } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';

/** A refusal with the challenge that tells the client how to do better. */
export interface Unauthorized {
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string;
  /** 401 where it is not said; 403 for somebody who is known and may not. */
  readonly status?: 401 | 403;
}

type Found = string | undefined | Unauthorized;

/** Issuer and subject of whoever sends a request, never a token; without one, or with a challenge, the request is refused. */
export type Authenticate = (request: Pick<HttpRequest, 'method' | 'header'>) => Found | PromiseLike<Found>;

/** Lets a request in once it is known who sends it. */
type Admit = (request: HttpRequest, responder: HttpResponder, serve: () => void) => void;

/** How long a port may take; the request would else stay open for as long as its sender likes. */
const longestMs = 30_000;

/** Without `authenticate` everybody is let in, under the name by which the runtime knows them. */
export function createAdmission(authenticate: Authenticate | undefined, fault: (error: Error) => void): Admit {
  const fail = (request: HttpRequest, responder: HttpResponder, port: string, cause: unknown): void => {
    const details = { requestId: requestIdOf(request) };
    const late = cause === tooLate;
    const what = late ? `gave nothing within ${longestMs} ms` : 'failed';
    const more = late ? { details } : { cause, details };
    fault(new TenonError('listener-failed', `${port}() ${what}; the request was refused.`, more));
    refuse(responder, late ? unavailable : unknown);
  };

  const identify: Admit = (request, responder, serve) => {
    if (authenticate === undefined) return serve();
    const failed = (cause: unknown): void => fail(request, responder, 'authenticate', cause);
    const found = (who: Found): void => {
      if (typeof who === 'string' && who !== '') {
        request.principal = who;
        return serve();
      }
      const refusal = refusalOf(who || undefined);
      if (refusal === undefined)
        failed(new TypeError('A challenge has the status 401 or 403, and the text of a header'));
      else refuse(responder, refusal);
    };
    // Whoever is asked may take the function out of its object.
    const asked = { method: request.method, header: (name: string) => request.header(name) };
    ask(() => authenticate(asked), found, failed);
  };

  return (request, responder, serve) => {
    const { recognize } = request;
    if (recognize === undefined) return identify(request, responder, serve);
    const found = (who: string | undefined): void => {
      request.principal = who ?? undefined;
      identify(request, responder, serve);
    };
    ask(recognize, found, (cause) => fail(request, responder, 'principal', cause));
  };
}

const tooLate = Symbol('too late');
const unknown: Refused = { status: 500, text: 'Who sends this could not be found out' };
const unavailable: Refused = { ...unknown, status: 503, headers: { 'retry-after': '1' } };

/** What an author's port gives, at once or later, or that it failed. */
function ask<T>(port: () => T | PromiseLike<T>, found: (value: T) => void, failed: (cause: unknown) => void): void {
  let given: T | PromiseLike<T>;
  try {
    given = port();
  } catch (error) {
    return failed(error);
  }
  if (isPromiseLike(given)) wait(given, found, failed);
  else found(given);
}

/** What comes too late comes to nothing. */
function wait<T>(given: PromiseLike<T>, found: (value: T) => void, failed: (cause: unknown) => void): void {
  let state: 'waiting' | 'over' = 'waiting';
  const settle = (): boolean => {
    const before = state;
    state = 'over';
    clearTimeout(bound);
    return before === 'waiting';
  };
  const bound = setTimeout(() => settle() && failed(tooLate), longestMs);
  // Whoever waits has a connection, which keeps the process if anything does.
  (bound as { unref?(): void }).unref?.();
  Promise.resolve(given).then(
    (value) => settle() && found(value),
    (cause) => settle() && failed(cause),
  );
}

const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** `undefined` for a challenge that no response can hold. */
function refusalOf({ challenge = 'Bearer', status = 401 }: Partial<Unauthorized> = {}): Refused | undefined {
  if (!headerText.test(challenge) || (status !== 401 && status !== 403)) return undefined;
  const text = status === 403 ? 'This is not for you' : 'Say who you are';
  return { status, text, headers: { 'www-authenticate': challenge } };
}
