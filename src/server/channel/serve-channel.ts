/** Serves a channel that carries both lifecycles at once, message by message. */

import { createPeer } from '../../jsonrpc/create-peer.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer, PeerOptions } from '../../jsonrpc/peer.ts';
import { type PeerCounts } from '../../jsonrpc/peer-counts.ts';
import { rpcError } from '../../protocol/errors.ts';
import { claimedRevision } from '../../protocol/exchange-wire.ts';
import type { Refusal } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { newestExchange } from '../../protocol/revisions/revisions.ts';
import type { Channel } from '../../transport/channel.ts';
import type { Serving } from '../kernel/serving.ts';
import { createExchanges, type Exchanges } from '../lifecycle/exchange.ts';
import type { Speaking } from '../lifecycle/offered-revisions.ts';
import { select } from '../lifecycle/select.ts';
import { createSession, type Session } from '../lifecycle/session.ts';
import { Calls } from '../ports/calls-in-flight.ts';
import { connectionEnded, type Link } from '../ports/link.ts';
import type { Transport } from '../ports/request-details.ts';
import { Faults } from './connection-warnings.ts';
import { createLink } from './peer-link.ts';

export interface ServeOptions extends Pick<PeerOptions, 'strict' | 'limits' | 'maxInFlight' | 'deadlines' | 'counts'> {
  /** Hears of messages that were dropped, and of what was about to be sent and broke the protocol. */
  readonly fault?: (error: Error) => void;
  /** Issuer and subject of whoever is at the other end, where the transport knows. */
  readonly principal?: string;
  /** What carries the messages, for whoever traces them. */
  readonly transport?: Transport;
  /** How long a question may wait for its answer. */
  readonly answerTimeoutMs?: number;
  /** Runs handlers that ask again under every revision; what the server says by default. */
  readonly replay?: boolean;
}

export interface Connection {
  /** What arrived and was dropped, by why. */
  readonly counts: Readonly<PeerCounts>;
  /** Calls that run. */
  readonly running: number;
  /** Asks whether the client is there. Sessions only. */
  ping(options?: RequestOptions): Promise<void>;
  /** The client says no more, and may hear still: what is asked of it fails, and the calls that asked go on. */
  unheard(): void;
  /** Lets no more requests in, ends those that listen, sends the answers of calls under way, waits for them no longer than given, then closes. */
  close(waitMs?: number): Promise<void>;
}

export function serveChannel(
  serving: Serving,
  speaking: Speaking,
  channel: Channel,
  options: ServeOptions = {},
): Connection {
  const faults = new Faults(serving, options.fault);
  const fault = (error: Error): void => faults.tell(error);
  const calls = new Calls(serving.maxConcurrent);
  const atPresent = (): Revision => session.revision() ?? newestExchange;
  const peer = createPeer(
    {
      send: (frame) => channel.send(frame),
      request: (message, batch) => serve(desk, message, batch),
      notification,
      abandoned,
      fault,
      batches: () => atPresent().batches,
      nullId: () => atPresent().errorsHaveId,
    },
    { ...options, deadlines: serving.deadlines },
  );
  const link = createLink(peer, calls, serving, options, faults);
  const session = createSession(serving, link);
  const exchanges = createExchanges(serving, speaking);
  const desk: Desk = { speaking, link, session, exchanges, phase: 'open' };
  const stopListening = serving.feed.listen((change) => {
    session.changed(change);
    exchanges.changed(change);
  });

  function notification({ method, params }: NotificationMessage): void {
    const revision = atPresent();
    const read = revision.wire.readNotification(revision, 'client', method, params);
    if (!read.ok) return fault(new TenonError('invalid-message', read.refusal.message));
    if (method === 'notifications/progress') return link.told(read.value);
    if (method !== 'notifications/cancelled') return void session.notified(read.value);
    const id = read.value.params?.requestId as RequestId;
    if (calls.cancel(id, 'cancelled by the client')) peer.forget(id);
  }

  /** A question that nobody waits for any more is taken back. */
  function abandoned(requestId: RequestId, _method: string, reason: TenonError): void {
    link.notify(atPresent(), { method: 'notifications/cancelled', params: { requestId, reason: reason.code } });
  }

  function end(): void {
    stopListening();
    peer.close();
    calls.cancelAll(connectionEnded);
    ended();
  }

  let ended = (): void => {};
  const over = new Promise<void>((resolve) => (ended = resolve));
  const leave = (): void => channel.close();
  channel.open({
    frame: (text) => peer.receive(text),
    closed: end,
    fault: (error) => (error.code === 'invalid-utf8' ? peer.unreadable(error) : fault(error)),
  });
  return {
    counts: peer.counts,
    get running() {
      return calls.running;
    },
    ping: (own) => ping(peer, atPresent(), own),
    unheard: () => peer.inputEnded(),
    close(waitMs = 5000) {
      desk.phase = 'draining';
      const deadline = serving.deadlines.add(waitMs, leave);
      exchanges.end();
      calls.drain(leave);
      return over.finally(() => serving.deadlines.cancel(deadline));
    },
  };
}

/** Where requests are handed on. */
interface Desk {
  readonly speaking: Speaking;
  readonly link: Link;
  readonly session: Session;
  readonly exchanges: Exchanges;
  phase: 'open' | 'draining';
}

function serve({ speaking, link, session, exchanges, phase }: Desk, message: RequestMessage, batch: boolean): void {
  const { method, params } = message;
  const requested = (params as { protocolVersion?: unknown } | undefined)?.protocolVersion;
  const claim = claimedRevision(params);
  const chosen = select(speaking, { method, claim, requested, session: session.revision(), batch });
  if (chosen.kind === 'refused') return link.settle(message, chosen.revision, chosen.error);
  const { revision } = chosen;
  // A ping asks whether the connection is there, and it is.
  if (phase === 'draining' && method !== 'ping') return link.settle(message, revision, draining());
  const read = revision.wire.readRequest(revision, 'client', method, params);
  if (!read.ok) return refuse(link, message, revision, read.refusal);
  if (chosen.kind === 'handshake') session.initialize(message, revision, read.value);
  else if (chosen.kind === 'session') session.request(message, revision, read.value);
  else exchanges.request(message, revision, read.value, link);
}

const draining = (): RpcError => rpcError('overloaded', 'The server is about to close this connection: use another');

async function ping(peer: Peer, revision: Revision, options?: RequestOptions): Promise<void> {
  if (revision.server.requests.has('ping')) return void (await peer.request('ping', undefined, options));
  throw new TenonError('capability-not-supported', 'Where every request stands alone, a client cannot be pinged.');
}

/** A refusal is answered with the place named, or without it where even that fails. It is under way until then: a connection that ends waits for it. */
function refuse(
  link: Link,
  message: RequestMessage,
  revision: Revision,
  { reason, message: plain, data, explain }: Refusal,
): void {
  const underWay = link.begin(message.id, false);
  const say = (text: string): void => {
    if (underWay !== undefined && !link.end(message.id, underWay)) return;
    link.settle(message, revision, rpcError(reason, text, data));
  };
  void explain().then(say, () => say(plain));
}
