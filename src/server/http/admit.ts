/** The way in of every request: judged by its headers, then asked who sends it, then its body read, then served. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { createAdmission } from './admission/authentication.ts';
import { createGuard } from './admission/host-and-origin.ts';
import { type HttpRequest, type HttpResponder, refuse } from './message.ts';
import type { HttpOptions } from './options.ts';
import type { Fault } from './reporting/warnings.ts';

type Serve = (request: HttpRequest, responder: HttpResponder) => void;

type Intake = (request: HttpRequest, responder: HttpResponder, serve: Serve) => void;

export function createIntake(options: HttpOptions, fault: Fault): Intake {
  const guard = createGuard(options);
  const { authenticate } = options;
  const admit = createAdmission(authenticate, fault);

  /** Nobody's body is read before it is known that the request may be sent. */
  function receive(request: HttpRequest, responder: HttpResponder, serve: Serve): void {
    if (request.method !== 'POST' || request.receive === undefined) return attempt(request, responder, serve);
    request.receive((problem) => {
      if (problem === undefined) attempt(request, responder, serve);
      else refuse(responder, problem);
    });
  }

  /** Whatever fails here fails one request, not whoever called: that may be a socket. */
  function attempt(request: HttpRequest, responder: HttpResponder, serve: Serve): void {
    try {
      serve(request, responder);
    } catch (cause) {
      fault(new TenonError('listener-failed', 'A request made the endpoint fail.', { cause }));
      refuse(responder, { status: 500, text: 'Something went wrong' });
    }
  }

  return (request, responder, serve) => {
    const refused = guard(request);
    if (refused !== undefined) return refuse(responder, refused);
    if (authenticate === undefined && request.recognize === undefined) receive(request, responder, serve);
    else admit(request, responder, () => receive(request, responder, serve));
  };
}
