/** Serves a channel that carries both lifecycles at once, message by message. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../jsonrpc/outbox.ts';
import { createPeer, type Peer, type PeerCounts, type PeerOptions } from '../jsonrpc/peer.ts';
import { rpcError } from '../protocol/errors.ts';
import { claimedRevision } from '../protocol/exchange-wire.ts';
import type { Refusal } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import { newestExchange } from '../protocol/revisions/revisions.ts';
import type { Channel } from '../transport/channel.ts';
import { type Calls, createCalls } from './calls.ts';
import { createExchanges } from './exchange.ts';
import type { Link } from './link.ts';
import { select } from './select.ts';
import type { Serving } from './serving.ts';
import { createSession } from './session.ts';
import type { Speaking } from './speaking.ts';

export interface ServeOptions extends Pick<PeerOptions, 'strict' | 'limits' | 'maxInFlight' | 'deadlines'> {
  /** Hears of messages that were dropped, and of what was about to be sent and broke the protocol. */
  readonly fault?: (error: Error) => void;
  /** Issuer and subject of whoever is at the other end, where the transport knows. */
  readonly principal?: string;
  /** How long a question may wait for its answer. */
  readonly answerTimeoutMs?: number;
  /** Runs handlers that ask again under every revision; what the server says by default. */
  readonly replay?: boolean;
}

export interface Connection {
  /** What arrived and was dropped, by why. */
  readonly counts: Readonly<PeerCounts>;
  /** Asks whether the client is there. Sessions only. */
  ping(options?: RequestOptions): Promise<void>;
  /** Lets no more calls in, sends the answers of those under way, waits for them no longer than given, then closes. */
  close(waitMs?: number): Promise<void>;
}

export function serveChannel(
  serving: Serving,
  speaking: Speaking,
  channel: Channel,
  options: ServeOptions = {},
): Connection {
  const fault = createFault(serving, options);
  const calls = createCalls(serving.maxConcurrent);
  const atPresent = (): Revision => session.revision ?? newestExchange;
  const peer = createPeer(
    { send: (frame) => channel.send(frame), request, notification, abandoned, fault },
    { ...options, batches: () => atPresent().batches, nullId: () => atPresent().errorsHaveId },
  );
  const link = createLink(peer, calls, serving, options, fault);
  const session = createSession(serving, link);
  const exchanges = createExchanges(serving, speaking, link);
  const stopListening = serving.feed.listen((change) => {
    session.changed(change);
    exchanges.changed(change);
  });

  function request(message: RequestMessage): void {
    const { method, params } = message;
    const requested = (params as { protocolVersion?: unknown } | undefined)?.protocolVersion;
    const chosen = select(speaking, { method, claim: claimedRevision(params), requested, session: session.revision });
    if (chosen.kind === 'refused') return link.settle(message, chosen.revision, chosen.error);
    const { revision } = chosen;
    const read = revision.wire.readRequest(revision, 'client', method, params);
    if (!read.ok) return refuse(link, message, revision, read.refusal);
    if (chosen.kind === 'handshake') session.initialize(message, revision, read.value);
    else if (chosen.kind === 'session') session.request(message, revision, read.value);
    else exchanges.request(message, revision, read.value);
  }

  function notification({ method, params }: NotificationMessage): void {
    const revision = atPresent();
    const read = revision.wire.readNotification(revision, 'client', method, params);
    if (!read.ok) return fault(new TenonError('invalid-message', read.refusal.message));
    if (method !== 'notifications/cancelled') return session.notified(read.value);
    const id = read.value.params?.requestId as RequestId;
    if (exchanges.stop(id)) return peer.forget(id);
    if (calls.cancel(id, 'cancelled by the client')) peer.forget(id);
  }

  /** A question that nobody waits for any more is taken back. */
  function abandoned(requestId: RequestId, _method: string, reason: TenonError): void {
    link.notify(atPresent(), { method: 'notifications/cancelled', params: { requestId, reason: reason.code } });
  }

  function end(): void {
    stopListening();
    peer.close();
    calls.cancelAll('the connection ended');
    ended();
  }

  let ended = (): void => {};
  const over = new Promise<void>((resolve) => (ended = resolve));
  const leave = (): void => {
    exchanges.end();
    channel.close();
  };
  channel.open({ frame: peer.receive, closed: end, fault });
  return {
    counts: peer.counts,
    ping: (own) => ping(peer, atPresent(), own),
    close(waitMs = 5000) {
      const deadline = serving.deadlines.add(waitMs, leave);
      calls.drain(leave);
      return over.finally(() => serving.deadlines.cancel(deadline));
    },
  };
}

async function ping(peer: Peer, revision: Revision, options?: RequestOptions): Promise<void> {
  if (revision.server.requests.has('ping')) return void (await peer.request('ping', undefined, options));
  throw new TenonError('capability-not-supported', 'Where every request stands alone, a client cannot be pinged.');
}

/** Tells whoever listens; a listener that fails is itself a failure, and what a handler gave wrongly is its author's to hear. */
function createFault({ failed }: Serving, { fault }: ServeOptions): (error: Error) => void {
  const nowhere = { method: '', target: '' };
  return (error) => {
    if (error instanceof TenonError && error.code === 'invalid-outgoing') failed(error, nowhere);
    try {
      fault?.(error);
    } catch (cause) {
      failed(cause, nowhere);
    }
  };
}

/** A refusal is answered with the place named, or without it where even that fails. */
function refuse(
  link: Link,
  message: RequestMessage,
  revision: Revision,
  { reason, message: plain, data, explain }: Refusal,
): void {
  const say = (text: string): void => link.settle(message, revision, rpcError(reason, text, data));
  void explain().then(say, () => say(plain));
}

function createLink(
  peer: Peer,
  calls: Calls,
  { registry }: Serving,
  { principal, answerTimeoutMs = 10 * 60_000 }: ServeOptions,
  fault: (error: Error) => void,
): Link {
  const unsent = async (refusal: Refusal): Promise<void> =>
    fault(new TenonError('invalid-outgoing', await refusal.explain()));
  return {
    principal,
    settle({ id, method }, revision, outcome) {
      if (outcome instanceof RpcError) return peer.refuse(id, revision.wire.writeError(revision, outcome));
      const written = revision.wire.writeResult(revision, 'client', method, outcome, registry().info);
      if (written.ok) return peer.answer(id, written.value);
      peer.refuse(id, revision.wire.writeError(revision, RpcError.from(undefined)));
      void unsent(written.refusal);
    },
    notify(revision, news) {
      const written = revision.wire.writeNotification(revision, 'server', news);
      if (!written.ok) return void unsent(written.refusal);
      try {
        peer.notify(news.method, written.value);
      } catch (error) {
        fault(error as Error);
      }
    },
    async put(revision, question, signal) {
      const written = revision.wire.writeRequest(revision, 'server', question);
      if (!written.ok) throw new TenonError('invalid-outgoing', await written.refusal.explain());
      const result = await peer.request(question.method, written.value, { timeoutMs: answerTimeoutMs, signal });
      const read = revision.wire.readResult(revision, 'server', question.method, result);
      if (!read.ok) throw new TenonError('invalid-result', await read.refusal.explain());
      if (read.value.kind !== 'done')
        throw new TenonError('invalid-result', `${question.method} was answered by a task.`);
      return read.value.result;
    },
    begin: (id) => calls.begin(id),
    end: (id, call) => calls.end(id, call),
  };
}
