/** Who sends a request: asked of a port for every request, before anything of it is served. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { type HttpRequest, type HttpResponder, type Refused, refuse } from './message.ts';
import { requestIdOf } from './request-id.ts';

/** A refusal with the challenge that tells the client how to do better. */
export interface Unauthorized {
  /** The value of the header `WWW-Authenticate`. */
  readonly challenge: string;
  /** 401 where it is not said; 403 for somebody who is known and may not. */
  readonly status?: 401 | 403;
}

/** Issuer and subject of whoever sends a request, never a token; without one, or with a challenge, the request is refused. */
export type Authenticate = (
  request: Pick<HttpRequest, 'method' | 'header'>,
) => string | undefined | Unauthorized | Promise<string | undefined | Unauthorized>;

/** Lets a request in once it is known who sends it. */
export type Admit = (request: HttpRequest, responder: HttpResponder, serve: () => void) => void;

export function createAdmission(authenticate: Authenticate, fault: (error: Error) => void): Admit {
  const fail = (request: HttpRequest, responder: HttpResponder, cause: unknown): void => {
    const details = { requestId: requestIdOf(request) };
    fault(new TenonError('listener-failed', 'authenticate() failed; the request was refused.', { cause, details }));
    refuse(responder, { status: 500, text: 'Who sends this could not be found out' });
  };
  return (request, responder, serve) => {
    const admit = (found: string | undefined | Unauthorized): void => {
      if (typeof found !== 'string' || found === '') return refuse(responder, refusalOf(found || undefined));
      request.principal = found;
      serve();
    };
    let found: ReturnType<Authenticate>;
    try {
      // Whoever is asked may take the function out of its object.
      found = authenticate({ method: request.method, header: (name) => request.header(name) });
    } catch (error) {
      return fail(request, responder, error);
    }
    if (!(found instanceof Promise)) return admit(found);
    found.then(admit, (error) => fail(request, responder, error));
  };
}

const refusalOf = (found: Unauthorized | undefined): Refused => ({
  status: found?.status ?? 401,
  text: found?.status === 403 ? 'This is not for you' : 'Say who you are',
  headers: { 'www-authenticate': found?.challenge ?? 'Bearer' },
});
