/** Authentication: finds the principal of every request before anything of it is served. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { ServerGuard } from '../../../ports/guard.ts';
import { type Authenticate, type AuthRefusal, decide } from '../../ports/authenticate.ts';
import { type HttpRequest, type HttpResponder, type Refused, refuse } from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { Warn } from '../reporting/warnings.ts';
import { challengeText } from './challenge.ts';

/** Sets the principal of a request and calls `next`, or refuses the request. */
type Authentication = (request: HttpRequest, responder: HttpResponder, next: () => void) => void;

export function createAuthentication(
  authenticate: Authenticate<never>,
  warn: Warn,
  guard?: ServerGuard,
): Authentication {
  const { challengeDetails = {} } = authenticate;

  /** What a request gets that is not admitted. */
  function refusedFor(request: HttpRequest, refusal: AuthRefusal): Refused {
    if (refusal.kind === 'failed') {
      const { message, cause } = refusal.error;
      const details = { requestId: requestIdOf(request) };
      warn(new TenonError('callback-failed', message, cause === undefined ? { details } : { cause, details }));
      return refusal.mayPass ? unavailable : unknown;
    }
    if (refusal.kind === 'expired')
      return challenged(401, challengeText({ ...challengeDetails, error: 'invalid_token' }));
    return challenged(refusal.status, refusal.challenge ?? challengeText(challengeDetails), refusal.nonce);
  }

  return (request, responder, next) => {
    // A closure, so that `header` still works when the callback destructures it.
    const { method, raw, clientAddress: address } = request;
    const visible = { method, address, raw: raw as never, header: (name: string) => request.header(name) };
    decide(authenticate, visible, (principal, refusal) => {
      if (refusal !== undefined) {
        guard?.countRefusal(request.clientAddress, `authentication-${refusal.kind}`);
        return refuse(responder, refusedFor(request, refusal));
      }
      request.principal = principal;
      next();
    });
  };
}

/** For a request whose principal was revoked after it was authenticated. */
export const refusedAsRevoked = ({ challengeDetails = {} }: Partial<Authenticate<never>> = {}): Refused => ({
  ...challenged(401, challengeText({ ...challengeDetails, error: 'invalid_token' })),
  text: 'The credentials were revoked',
});

const unknown: Refused = { status: 500, text: 'Authentication failed on the server' };
const unavailable: Refused = { ...unknown, status: 503, headers: { 'retry-after': '1' } };

const texts = { 400: 'Malformed credentials', 401: 'Authentication required', 403: 'Forbidden' } as const;

const challenged = (status: 400 | 401 | 403, challenge: string, nonce?: string): Refused => ({
  status,
  text: texts[status],
  headers: { 'www-authenticate': challenge, ...(nonce !== undefined && { 'dpop-nonce': nonce }) },
});
