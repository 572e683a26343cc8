/** Serves a transport. One connection can carry both lifecycles: each message is served by its own. */

import { createPeer } from '../../jsonrpc/create-peer.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { defaultLimits, valuesFor } from '../../jsonrpc/limits.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer, PeerOptions } from '../../jsonrpc/peer.ts';
import { type PeerCounts } from '../../jsonrpc/peer-counts.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { cancelledBy, sentReason } from '../../protocol/cancellation.ts';
import { rpcError } from '../../protocol/errors.ts';
import { claimedRevision } from '../../protocol/exchange-wire.ts';
import type { Refusal } from '../../protocol/neutral.ts';
import { shortText } from '../../protocol/result-text.ts';
import type { Revision } from '../../protocol/revision.ts';
import { newestExchange } from '../../protocol/revisions/revisions.ts';
import { tapConnection } from '../../transport/tap.ts';
import { tappedTransport } from '../../transport/tapped-transport.ts';
import type { Transport } from '../../transport/transport.ts';
import type { Serving } from '../kernel/serving.ts';
import { createExchanges, type Exchanges } from '../lifecycle/exchange.ts';
import { type OfferedRevisions, revisionOfClient, withCompat } from '../lifecycle/offered-revisions.ts';
import { answerRefusal } from '../lifecycle/refusals.ts';
import { select } from '../lifecycle/select.ts';
import { createSession, type Session } from '../lifecycle/session.ts';
import type { TaskCounts } from '../ports/call-limits.ts';
import type { CallSlots } from '../ports/call-slots.ts';
import { CallsInFlight } from '../ports/calls-in-flight.ts';
import { type CallInFlight, connectionEnded, type Link } from '../ports/link.ts';
import type { ConnectionSettings } from './accept-options.ts';
import { ConnectionWarnings } from './connection-warnings.ts';
import { inArrivalOrder, MessageAuthentication, type ServedMessages } from './message-authentication.ts';
import { createLink } from './peer-link.ts';

/** The current counts of one connection. */
export interface ConnectionStats extends TaskCounts {
  /** Calls that have not finished. */
  readonly activeCalls: number;
  /** Messages that were dropped since the start, by reason. */
  readonly dropped: Readonly<PeerCounts>;
}

/** One connection of a server. */
export interface ServerConnection {
  /** The current counts: active calls, and dropped messages by reason. */
  stats(): ConnectionStats;
  /** Pings the client. Sessions only. */
  ping(options?: RequestOptions): Promise<void>;
  /** The client sends no more messages, but may still receive some: requests to it fail, and calls continue. */
  inputEnded(): void;
  /** Rejects new requests, ends subscriptions, waits for running calls for at most `waitMs` (5000 by default), then closes. */
  close(waitMs?: number): Promise<void>;
}

const carriers = { pipe: 'stdio', tcp: 'sse' } as const;

function tapped(transport: Transport, { tap, transport: carrier }: ConnectionSettings): Transport {
  if (tap === undefined) return transport;
  const report = tapConnection(tap);
  report({ kind: 'open', side: 'server', transport: carrier === undefined ? 'other' : carriers[carrier], peer: '' });
  return tappedTransport(transport, report, 'server');
}

/** `slots` are those that the connection shares with others of its caller. */
export function serveTransport(
  serving: Serving,
  ofServer: OfferedRevisions,
  plain: Transport,
  options: ConnectionSettings = {},
  slots?: CallSlots,
): ServerConnection {
  const offered = withCompat(ofServer, options.compat, 'accept()');
  const transport = tapped(plain, options);
  const warnings = new ConnectionWarnings(serving, options.onWarning);
  const warn = (error: Error): void => warnings.report(error);
  const calls = new CallsInFlight(serving.maxConcurrentCalls, slots);
  const currentRevision = (): Revision => session.revision() ?? newestExchange;
  const authentication = authenticationOf(options, warn, serving);
  const served: ServedMessages = {
    serve: (message, batch, phase) => serve(ports, message, batch, phase),
    refuse: (message, error) => link.settle(message, currentRevision(), error),
    notification: (message) => takeNotification(ports, message),
    phase: () => ports.phase,
  };
  const peer = createPeer(
    {
      send: (frame) => transport.send(frame),
      ...(authentication?.inOrder(served) ?? inArrivalOrder(served)),
      abandoned: (id, _method, reason) => link.notify(currentRevision(), cancellationOf(id, reason)),
      onWarning: warn,
      batches: () => currentRevision().batches,
      nullId: () => currentRevision().errorsHaveId,
      resultText: shortText,
    },
    peerOptions(options, serving),
  );
  const sender = authentication && { currentPrincipal: () => authentication.current };
  const link = createLink(peer, calls, serving, { ...options, ...sender }, warnings);
  const session = createSession(serving, link);
  const exchanges = createExchanges(serving, offered);
  const own = { peer, calls, link, session, exchanges, warn, currentRevision };
  const ports: MessagePorts = { serving, offered, ...own, phase: 'open' };
  const stopListening = serving.changes.listen((change) => {
    session.changed(change);
    exchanges.changed(change);
  });

  function end(): void {
    stopListening();
    authentication?.close();
    peer.close();
    calls.cancelAll(connectionEnded);
    session.end();
    if (serving.endings.isFollowed) serving.endings.ended(link.sessionKey ?? '');
    closed.resolve();
  }

  const closed = createDeferred();
  const closeTransport = (): void => transport.close();
  transport.open({
    onMessage: (text) => peer.receive(text),
    onClose: end,
    onWarning: (error) => (error.code === 'invalid-utf8' ? peer.unreadable(error) : warn(error)),
  });
  return {
    stats: () => ({ activeCalls: calls.running, dropped: { ...peer.counts }, ...serving.tasks.counts() }),
    ping: (own) => ping(peer, currentRevision(), own),
    inputEnded: () => peer.inputEnded(),
    close(waitMs = 5000) {
      ports.phase = 'draining';
      const deadline = serving.deadlines.add(waitMs, closeTransport);
      exchanges.end();
      whenIdle(authentication, () => calls.drain(closeTransport));
      return closed.promise.finally(() => serving.deadlines.cancel(deadline));
    },
  };
}

/** Notifies the client that a request of the server was cancelled or timed out. */
const cancellationOf = (requestId: RequestId, reason: TenonError) => ({
  method: 'notifications/cancelled',
  params: { requestId, reason: sentReason(reason) },
});

const authenticationOf = (
  { authenticate, principal }: ConnectionSettings,
  warn: (error: Error) => void,
  { guard }: Serving,
): MessageAuthentication | undefined => authenticate && new MessageAuthentication(authenticate, principal, warn, guard);

function whenIdle(authentication: MessageAuthentication | undefined, drain: () => void): void {
  if (authentication === undefined) drain();
  else authentication.whenIdle(drain);
}

function peerOptions({ limits = {}, ...options }: ConnectionSettings, { deadlines }: Serving): PeerOptions {
  const { maxConcurrentCalls: maxInFlight, ...others } = limits;
  const { maxMessageChars: usualChars } = defaultLimits;
  const { maxMessageChars = usualChars, maxValues = valuesFor('server', maxMessageChars, usualChars) } = others;
  const messageLimits = { ...others, maxMessageChars, maxValues };
  return { ...options, limits: messageLimits, ...(maxInFlight !== undefined && { maxInFlight }), deadlines };
}

/** The ports for serving a message. */
interface MessagePorts {
  readonly serving: Serving;
  readonly offered: OfferedRevisions;
  readonly peer: Peer;
  readonly calls: CallsInFlight;
  warn(error: Error): void;
  currentRevision(): Revision;
  readonly link: Link;
  readonly session: Session;
  readonly exchanges: Exchanges;
  phase: 'open' | 'draining';
}

function serve(
  { serving, offered, link, session, exchanges }: MessagePorts,
  message: RequestMessage,
  batch: boolean,
  phase: MessagePorts['phase'],
): void {
  const { method, params } = message;
  const claim = claimedRevision(params);
  const chosen = select(offered, { method, params, claim, session: session.revision(), batch });
  if (chosen.kind === 'refused') return link.settle(message, chosen.revision, chosen.error);
  const { revision } = chosen;
  // A ping is answered while the connection is open.
  if (phase === 'draining' && method !== 'ping') return link.settle(message, revision, draining());
  const read = revision.wire.readRequest(revision, 'client', method, params);
  if (!read.ok) return refuse(link, message, revision, read.refusal);
  if (chosen.kind === 'handshake') {
    const isFirst = session.revision() === undefined;
    const own = isFirst ? revisionOfClient(offered, revision, read.value.params, serving.failed) : revision;
    if (own instanceof RpcError) return link.settle(message, revision, own);
    session.initialize(message, own, read.value);
  } else if (chosen.kind === 'session') session.request(message, revision, read.value);
  else exchanges.request(message, revision, read.value, link);
}

function takeNotification(
  { peer, calls, link, session, warn, currentRevision }: MessagePorts,
  { method, params }: NotificationMessage,
): void {
  const revision = currentRevision();
  const read = revision.wire.readNotification(revision, 'client', method, params);
  if (!read.ok) return warn(new TenonError('invalid-message', read.refusal.message));
  if (method === 'notifications/progress') return link.progressed(read.value);
  if (method === 'notifications/tasks/status') return link.taskChanged?.(read.value);
  if (method !== 'notifications/cancelled') return void session.notified(read.value);
  const { requestId, reason } = read.value.params ?? {};
  if (calls.cancel(requestId as RequestId, cancelledBy('client', reason))) peer.forget(requestId as RequestId);
}

const draining = (): RpcError => rpcError('overloaded', 'The server is closing this connection. Open a new one.');

async function ping(peer: Peer, revision: Revision, options?: RequestOptions): Promise<void> {
  if (revision.server.requests.has('ping')) return void (await peer.request('ping', undefined, options));
  throw new TenonError(
    'capability-not-supported',
    'Clients of this protocol version cannot be pinged: it has no sessions.',
  );
}

/** The request counts as in flight until it is answered, so that a draining connection waits for it. */
function refuse(link: Link, message: RequestMessage, revision: Revision, refusal: Refusal): void {
  const waiting: CallInFlight = { counts: false, place: undefined, admitted() {}, cancel() {} };
  const isInFlight = link.begin(message.id, waiting) === undefined;
  answerRefusal(refusal, (error) => {
    if (!isInFlight || link.end(message.id, waiting)) link.settle(message, revision, error);
  });
}
