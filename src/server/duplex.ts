/** Serves a registry on a channel that carries both lifecycles at once, message by message. */
import { RpcError } from '../jsonrpc/errors.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../jsonrpc/message.ts';
import { createPeer, type Peer, type PeerOptions } from '../jsonrpc/peer.ts';
import { rpcError } from '../protocol/errors.ts';
import { claimedRevision } from '../protocol/exchange-wire.ts';
import type { Incoming, Outcome, Refusal } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import { newestExchange, newestSession } from '../protocol/revisions/revisions.ts';
import type { Channel } from '../transport/channel.ts';
import type { Caller } from './caller.ts';
import { createCallContext } from './context.ts';
import { discovery, introducedCaller } from './exchange.ts';
import { handle, type KernelPorts } from './kernel.ts';
import type { Registry } from './registry.ts';
import { agreedRevision, select } from './select.ts';
import { greet, newSession, notified, type SessionState } from './session.ts';

export interface ServeOptions extends Pick<PeerOptions, 'strict' | 'limits' | 'maxInFlight'>, KernelPorts {
  /** Hears of messages that were dropped, and of what was about to be sent and broke the protocol. */
  fault?(error: Error): void;
}

export interface Connection {
  close(): void;
}

export function serveChannel(registry: Registry, channel: Channel, options: ServeOptions = {}): Connection {
  let session: SessionState = newSession;
  const calls = new Map<RequestId, { cancel(reason: unknown): void }>();
  const sessionRevision = (): Revision | undefined => (session.is === 'new' ? undefined : session.caller.revision);
  const atPresent = (): Revision => sessionRevision() ?? newestExchange;

  const peer = createPeer(
    { send: (frame) => channel.send(frame), request, notification, fault: (error) => options.fault?.(error) },
    { ...options, batches: () => atPresent().batches, nullId: () => atPresent().errorsHaveId },
  );

  const { settle, refuse } = createAnswers(peer, registry, options);

  function request(message: RequestMessage): void {
    const chosen = select(claimedRevision(message.params), message.method, sessionRevision());
    switch (chosen.kind) {
      case 'refused':
        return settle(message, chosen.revision, chosen.error);
      case 'handshake':
        return initialize(message);
      case 'session':
        return call(message, chosen.revision, () => (session as { caller: Caller }).caller);
      case 'exchange':
        return call(message, chosen.revision, (incoming) => introducedCaller(chosen.revision, incoming));
    }
  }

  function initialize(message: RequestMessage): void {
    const revision = agreedRevision((message.params as { protocolVersion?: unknown } | undefined)?.protocolVersion);
    const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
    if (!read.ok) return refuse(message, revision, read.refusal);
    const greeting = greet(session, registry, revision, read.value);
    session = greeting.state;
    settle(message, revision, greeting.outcome);
  }

  function call(message: RequestMessage, revision: Revision, callerOf: (incoming: Incoming) => Caller): void {
    const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
    if (!read.ok) return refuse(message, revision, read.refusal);
    if (message.method === 'ping') return settle(message, revision, { kind: 'done', result: {} });
    if (message.method === 'server/discover') return settle(message, revision, discovery(registry));
    const context = createCallContext();
    calls.set(message.id, context);
    // A call that was cancelled may end late, when its id already belongs to another.
    const finish = (outcome: Outcome | RpcError): void => {
      if (calls.get(message.id) !== context) return;
      settle(message, revision, outcome);
      calls.delete(message.id);
    };
    handle(registry, read.value, callerOf(read.value), context, finish, options);
  }

  function notification({ method, params }: NotificationMessage): void {
    const revision = sessionRevision() ?? newestSession;
    const read = revision.wire.readNotification(revision, 'client', method, params);
    if (!read.ok) return;
    session = notified(session, method);
    if (method !== 'notifications/cancelled') return;
    const id = read.value.params?.requestId as RequestId;
    calls.get(id)?.cancel('cancelled by the client');
    if (calls.delete(id)) peer.forget(id);
  }

  function end(): void {
    peer.close();
    for (const { cancel } of calls.values()) cancel('the connection ended');
  }

  channel.open({ frame: peer.receive, closed: end, fault: (error) => options.fault?.(error) });
  return { close: () => channel.close() };
}

interface Answers {
  settle(message: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void;
  refuse(message: RequestMessage, revision: Revision, refusal: Refusal): void;
}

/** Answers in the words of a revision; what would break the protocol never leaves. */
function createAnswers(peer: Peer, registry: Registry, options: ServeOptions): Answers {
  function settle({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void {
    if (outcome instanceof RpcError) return peer.refuse(id, revision.wire.writeError(revision, outcome));
    const written = revision.wire.writeResult(revision, 'client', method, outcome, registry.info);
    if (written.ok) return peer.answer(id, written.value);
    peer.refuse(id, revision.wire.writeError(revision, RpcError.from(undefined)));
    void written.refusal.explain().then((text) => options.fault?.(new Error(text)));
  }

  function refuse(message: RequestMessage, revision: Revision, refusal: Refusal): void {
    void explained(refusal).then((error) => settle(message, revision, error));
  }

  return { settle, refuse };
}

/** A refusal as an error that names the place, or without it where even that fails. */
const explained = ({ reason, message, data, explain }: Refusal): Promise<RpcError> =>
  explain().then(
    (text) => rpcError(reason, text, data),
    () => rpcError(reason, message, data),
  );
