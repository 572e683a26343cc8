/** Admits requests: checks the host and the origin, authenticates the client, reads the body. Then the request is served. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ServerGuard } from '../../ports/guard.ts';
import { createAuthentication, refusedAsRevoked } from './admission/authentication.ts';
import type { Gate } from './admission/gate/gate.ts';
import { ReceivedRequest } from './admission/gate/received-request.ts';
import { createGuard } from './admission/host-and-origin.ts';
import { RecentRevocations } from './admission/recent-revocations.ts';
import { refusedAs } from './admission/retry-after.ts';
import { type HttpRequest, type HttpResponder, maxHeaders, type Refused, refuse, tooManyHeaders } from './message.ts';
import type { HttpOptions } from './options.ts';
import type { EndpointLog } from './reporting/endpoint-log.ts';
import type { Warn } from './reporting/warnings.ts';

type Serve = (request: HttpRequest, responder: HttpResponder) => void | Promise<void>;

interface AdmissionPorts {
  readonly gate: Gate;
  readonly warn: Warn;
  readonly log: EndpointLog | undefined;
  readonly guard: ServerGuard | undefined;
  /** Absent for HTTP+SSE: a message to a stream that a revocation has ended finds none. */
  readonly onRevoked?: (listener: (owner: string) => void) => void;
}

/** Serves a request once it is admitted, and refuses it otherwise. */
type Admit = (request: HttpRequest, responder: HttpResponder, serve: Serve) => void;

export function createAdmit(
  options: HttpOptions<never>,
  { gate, warn, log, guard: serverGuard, onRevoked }: AdmissionPorts,
): Admit {
  const guard = createGuard(options);
  const revocations = new RecentRevocations();
  onRevoked?.((owner) => revocations.add(owner));
  const authenticate = options.authenticate && createAuthentication(options.authenticate, warn, serverGuard);

  /** The body is read only after authentication. */
  function readBodyAndServe(request: HttpRequest, responder: HttpResponder, serve: Serve): void {
    if (request.method !== 'POST' || request.receive === undefined) return serveGuarded(request, responder, serve);
    request.receive(
      (problem) => {
        if (problem === undefined) serveGuarded(request, responder, serve);
        else refuse(responder, problem);
      },
      (bytes) => makeRoom(request, responder, bytes),
    );
  }

  /** A large request counts for its sender until its response has closed and its calls have ended. */
  function makeRoom(request: HttpRequest, responder: HttpResponder, bytes: number): Refused | undefined {
    if (responder.received === undefined) {
      responder.received = new ReceivedRequest(gate.callerOf(request));
      responder.onClose(responder.received);
    }
    const refused = responder.received.grow(bytes);
    return refused && refusedAs(refused);
  }

  /** A failure fails this one request; thrown further, it would be an error of the socket. */
  function serveGuarded(request: HttpRequest, responder: HttpResponder, serve: Serve): void {
    try {
      const finished = serve(request, responder);
      if (finished instanceof Promise) finished.catch((cause: unknown) => fail(responder, cause));
    } catch (cause) {
      fail(responder, cause);
    }
  }

  function fail(responder: HttpResponder, cause: unknown): void {
    warn(new TenonError('callback-failed', 'The endpoint failed to serve a request; the client got 500.', { cause }));
    refuse(responder, { status: 500, text: 'Internal error' });
  }

  return (request, responder, serve) => {
    if (request.headerCount !== undefined && request.headerCount > maxHeaders) return refuse(responder, tooManyHeaders);
    request.clientAddress = gate.addressOf(request);
    const refused = guard(request);
    if (refused !== undefined) {
      if (refused.status === 403) log?.notAllowed(refused.text);
      return refuse(responder, refused);
    }
    // Most servers have no authentication: their requests need no closure for it.
    if (authenticate === undefined) return readBodyAndServe(request, responder, serve);
    const { count } = revocations;
    /** The body may arrive long after the credentials, which may be revoked meanwhile. */
    const serveValid: Serve = (admitted, answer) => {
      const owner = admitted.principal?.key;
      if (owner === undefined || !revocations.has(owner, count)) return serve(admitted, answer);
      refuse(answer, refusedAsRevoked(options.authenticate));
    };
    authenticate(request, responder, () => readBodyAndServe(request, responder, serveValid));
  };
}
