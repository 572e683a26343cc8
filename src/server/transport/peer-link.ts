/** The link of a connection that has a peer: results, notifications and requests, written in the form of a revision. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createPrincipal, type Principal, type PrincipalDetails } from '../../ports/principal.ts';
import type { Outcome, Refusal } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Serving } from '../kernel/serving.ts';
import { reportUnsent } from '../lifecycle/refusals.ts';
import type { ErrorContext } from '../ports/call-limits.ts';
import type { CallsInFlight } from '../ports/calls-in-flight.ts';
import type { Link } from '../ports/link.ts';
import type { NetworkTransport } from '../ports/request-details.ts';
import { failedRequest } from '../ports/target.ts';
import { ClientRequests } from './client-requests.ts';
import type { ConnectionWarnings } from './connection-warnings.ts';

export interface LinkOptions {
  readonly principal?: string | PrincipalDetails;
  /** The principal of the message that is received now, if each message of the connection is a request of its own. */
  readonly currentPrincipal?: () => Principal | undefined;
  /** The address of its sender. */
  readonly currentAddress?: () => string | undefined;
  readonly transport?: NetworkTransport;
  readonly timeouts?: { readonly inputMs?: number };
}

export function createLink(
  peer: Peer,
  calls: CallsInFlight,
  { registry, deadlines }: Serving,
  { principal, currentPrincipal, currentAddress, transport, timeouts: { inputMs = 10 * 60_000 } = {} }: LinkOptions,
  warnings: ConnectionWarnings,
): Link {
  const unsent = (refusal: Refusal, call: ErrorContext): void =>
    reportUnsent(refusal, (text, cause) =>
      warnings.report(new TenonError('invalid-outgoing-message', text, cause === undefined ? {} : { cause }), call),
    );
  const refuse = (id: RequestMessage['id'], revision: Revision, error: RpcError): void =>
    peer.refuse(id, revision.wire.writeError(revision, error));
  /** Sends an outcome, or returns why it cannot be written. */
  function send({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): Refusal | undefined {
    if (outcome instanceof RpcError) return void refuse(id, revision, outcome);
    try {
      const written = revision.wire.writeResult(revision, 'client', method, outcome, registry().info);
      if (!written.ok) {
        refuse(id, revision, RpcError.from(undefined));
        return written.refusal;
      }
      peer.answer(id, written.value);
    } catch (cause) {
      // Getters and proxies in a result can throw.
      refuse(id, revision, RpcError.from(undefined));
      warnings.report(new TenonError('invalid-outgoing-message', `The result of ${method} is not JSON.`, { cause }));
    }
    return undefined;
  }
  const requests = new ClientRequests(peer, deadlines, inputMs);
  // Created for the first task.
  let sessionKey: string | undefined;
  const connected = principal === undefined ? undefined : createPrincipal(principal);
  return {
    get principal() {
      return currentPrincipal === undefined ? connected : currentPrincipal();
    },
    get address() {
      return currentAddress?.();
    },
    get listener() {
      return { principal: this.principal, address: this.address };
    },
    transport,
    get sessionKey() {
      return (sessionKey ??= crypto.randomUUID());
    },
    settle(message, revision, outcome) {
      warnings.answering = message;
      const refusal = send(message, revision, outcome);
      warnings.answering = undefined;
      if (refusal !== undefined) unsent(refusal, failedRequest(message));
    },
    notify(revision, notification) {
      const written = revision.wire.writeNotification(revision, 'server', notification);
      if (!written.ok) return unsent(written.refusal, failedRequest(notification));
      try {
        peer.notify(notification.method, written.value);
      } catch (error) {
        warnings.report(error as Error, failedRequest(notification));
      }
    },
    sendRequest: (...args) => requests.send(...args),
    taskChanged: (notification) => requests.taskChanged(notification),
    progressed: (notification) => requests.progressed(notification),
    begin: (id, call) => calls.begin(id, call),
    end: (id, call) => calls.end(id, call),
  };
}
