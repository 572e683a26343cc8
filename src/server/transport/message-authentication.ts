/** Authenticates each message of a connection by its `_meta.authorization`, and serves the messages in the order in which they came. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import type { NotificationMessage, RequestMessage } from '../../jsonrpc/message.ts';
import type { PeerPorts } from '../../jsonrpc/peer.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { ServerGuard } from '../../ports/guard.ts';
import { createPrincipal, type Principal, type PrincipalDetails } from '../../ports/principal.ts';
import { rpcError } from '../../protocol/errors.ts';
import { type Authenticate, type AuthRefusal, type AuthRequest, decide } from '../ports/authenticate.ts';

/** Serves a message, or refuses it. */
type Proceed = (refusal: RpcError | undefined) => void;

/** How the messages of a connection are served once they are authenticated. */
export interface ServedMessages {
  serve(message: RequestMessage, batch: boolean, phase: Phase): void;
  refuse(message: RequestMessage, error: RpcError): void;
  notification(message: NotificationMessage): void;
  phase(): Phase;
}

type Phase = 'open' | 'draining';

/** The ports of a peer whose messages are not authenticated. */
export const inArrivalOrder = ({
  serve,
  notification,
  phase,
}: ServedMessages): Pick<PeerPorts, 'request' | 'notification'> => ({
  request: (message, batch) => serve(message, batch, phase()),
  notification: (message) => notification(message),
});

/** A message that waits for its own authentication, or for that of an earlier one. */
interface Waiting {
  readonly proceed: Proceed;
  /** Set once it is authenticated. */
  decided?: { readonly principal: Principal | undefined; readonly refusal: RpcError | undefined };
}

/**
 * Messages that wait for `authenticate`.
 * @limit stdio
 * @beyond requests get `overloaded`, notifications are dropped
 * @code unauthorized
 */
const maxWaiting = 1000;

const overloaded = rpcError('overloaded', 'Too many messages wait for authentication. Try again later.', {
  retryAfterMs: 1000,
});

export class MessageAuthentication {
  readonly #authenticate: Authenticate<undefined>;
  readonly #connected: Principal | undefined;
  readonly #warn: (error: TenonError) => void;
  readonly #guard: ServerGuard | undefined;
  readonly #waiting: Waiting[] = [];
  #onIdle: (() => void) | undefined;
  /** The principal of the message that is served now. */
  current: Principal | undefined;

  /** `connected` sends the messages that have no authorization; without it, `authenticate` decides about them too. */
  constructor(
    authenticate: Authenticate<undefined>,
    connected: string | PrincipalDetails | undefined,
    warn: (error: TenonError) => void,
    guard?: ServerGuard,
  ) {
    this.#authenticate = authenticate;
    this.#connected = connected === undefined ? undefined : createPrincipal(connected);
    this.#warn = warn;
    this.#guard = guard;
  }

  /** The ports of the peer. A request that arrived before the connection drains is served, however long its authentication takes. */
  inOrder({ serve, refuse, notification, phase }: ServedMessages): Pick<PeerPorts, 'request' | 'notification'> {
    return {
      request: (message, batch, authorization) => {
        const arrivedIn = phase();
        this.#receive(authorization, (refusal) =>
          refusal === undefined ? serve(message, batch, arrivedIn) : refuse(message, refusal),
        );
      },
      notification: (message, authorization) =>
        this.#receive(authorization, (refusal) =>
          refusal === undefined ? notification(message) : this.#warn(notificationRefused(message.method, refusal)),
        ),
    };
  }

  #receive(authorization: string | undefined, proceed: Proceed): void {
    if (this.#waiting.length >= maxWaiting) return proceed(overloaded);
    const waiting: Waiting = { proceed };
    this.#waiting.push(waiting);
    this.#decide(authorization, (principal, refusal) => {
      if (refusal !== undefined) this.#guard?.countRefusal(undefined, `authentication-${refusal.kind}`);
      waiting.decided = { principal, refusal: refusal && this.#errorFor(refusal) };
      this.#serveDecided();
    });
  }

  /** Calls back when no message waits. */
  whenIdle(onIdle: () => void): void {
    this.#onIdle = onIdle;
    this.#serveDecided();
  }

  /** The connection has closed: waiting messages are not served. */
  close(): void {
    this.#waiting.length = 0;
  }

  #decide(authorization: string | undefined, decided: Parameters<typeof decide>[2]): void {
    const connected = this.#connected;
    if (authorization !== undefined || connected === undefined)
      return decide(this.#authenticate, requestWith(authorization), decided);
    const { expiresAt = Number.POSITIVE_INFINITY } = connected;
    if (expiresAt <= Date.now()) decided(undefined, { kind: 'expired' });
    else decided(connected);
  }

  #serveDecided(): void {
    for (let first = this.#waiting[0]; first?.decided !== undefined; first = this.#waiting[0]) {
      this.#waiting.shift();
      const { proceed, decided } = first;
      this.current = decided.principal;
      runSafely(() => proceed(decided.refusal), this.#failed);
    }
    if (this.#waiting.length === 0) this.#onIdle?.();
  }

  readonly #failed = (cause: unknown): void =>
    this.#warn(new TenonError('callback-failed', 'A message could not be served.', { cause }));

  #errorFor(refusal: AuthRefusal): RpcError {
    if (refusal.kind === 'expired') return rpcError('unauthorized', 'The credentials have expired');
    if (refusal.kind === 'challenge') {
      const data = refusal.challenge === undefined ? undefined : challengeData(refusal.challenge);
      return refusal.status === 403
        ? rpcError('insufficient-scope', 'Forbidden', data)
        : rpcError('unauthorized', 'Authentication required', data);
    }
    this.#warn(refusal.error);
    return refusal.mayPass
      ? rpcError('overloaded', 'Authentication is not available. Try again later.', { retryAfterMs: 1000 })
      : rpcError('internal-error', 'Authentication failed on the server');
  }
}

/** The message as `authenticate` sees it: with one header. */
const requestWith = (authorization: string | undefined): AuthRequest<undefined> => ({
  method: 'POST',
  raw: undefined,
  header: (name) => (name === 'authorization' ? authorization : undefined),
});

/** The value of `WWW-Authenticate`, and the scopes in it, as in other refusals. */
function challengeData(challenge: string): { challenge: string; scope?: string } {
  const scope = /[ ,]scope="([^"]*)"/.exec(challenge)?.[1];
  return scope === undefined ? { challenge } : { challenge, scope };
}

/** A notification that is not served gets no answer. */
const notificationRefused = (method: string, { message }: RpcError): TenonError =>
  new TenonError('unauthorized', `The notification ${method} was dropped: ${message}.`);
