/** What a POST brings: a request, a notification, an answer, or several of them, each by the revision that governs it. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { type Arrival, type FrameRules, readFrame } from '../../jsonrpc/frame.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import { rpcError } from '../../protocol/errors.ts';
import { claimedRevision } from '../../protocol/exchange-wire.ts';
import type { Incoming, Refusal } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { newestSession } from '../../protocol/revisions/revisions.ts';
import { type Soon, soonThen, whenThere } from '../../store/maybe-promise.ts';
import type { Exchanges } from '../lifecycle/exchange.ts';
import type { OfferedRevisions } from '../lifecycle/offered-revisions.ts';
import { answerRefusal } from '../lifecycle/refusals.ts';
import { type Selection, select } from '../lifecycle/select.ts';
import { introductionProblem } from '../lifecycle/session-bounds.ts';
import { isPlain } from './admission/founding-clients.ts';
import { mirrorProblem } from './admission/mirrored-headers.ts';
import { unknownRevision } from './admission/version-header.ts';
import {
  eventsOnly,
  type HttpRequest,
  type HttpResponder,
  jsonType,
  leaving,
  type Refused,
  refuse,
  unkept,
} from './message.ts';
import { ExchangeReply, type LoneCalls } from './reply/exchange-reply.ts';
import type { Reply } from './reply/reply.ts';
import { needsMemory, StatelessReply } from './reply/stateless-reply.ts';
import { requestIdOf } from './reporting/request-id.ts';
import type { HttpSession, SessionHost } from './session/session.ts';
import { storeFailed } from './session/session-record.ts';
import { SessionReply } from './session/session-reply.ts';
import type { SessionTable } from './session/session-table.ts';

export interface PostPorts {
  readonly offered: OfferedRevisions;
  readonly lone: LoneCalls;
  readonly host: SessionHost;
  readonly sessions: SessionTable;
  readonly exchanges: Exchanges;
  readonly rules: FrameRules;
  readonly keepsSessions: boolean;
  /** Whether requests are let in. Answers and notifications are as long as something waits for them. */
  admits(): boolean;
  /** Has somebody look after sessions and streams. */
  watch(): void;
}

/** One POST on its way. */
interface Posted {
  readonly request: HttpRequest;
  readonly responder: HttpResponder;
  /** The session that the request names, if it lives; `lost` where it does not. */
  readonly session: HttpSession | 'lost' | undefined;
}

export function createPost(ports: PostPorts): (request: HttpRequest, responder: HttpResponder) => void {
  const { sessions, keepsSessions } = ports;
  return (request, responder) => {
    const id = request.header('mcp-session-id');
    if (id === undefined) return take(ports, { request, responder, session: undefined });
    const session = keepsSessions ? sessions.find(id, request.principal) : 'lost';
    if (session !== undefined) return take(ports, { request, responder, session });
    const taken = (found: HttpSession | 'full' | undefined): void => {
      ports.watch();
      if (found === 'full') refuse(responder, ports.admits() ? full : leaving);
      else take(ports, { request, responder, session: found ?? 'lost' });
    };
    sessions.takeUp(id, request.principal).then(taken, (cause) => unlooked(ports, request, responder, cause));
  };
}

const full: Refused = { status: 503, text: 'Too many sessions are open', headers: { 'retry-after': '1' } };

function unlooked({ host }: PostPorts, request: HttpRequest, responder: HttpResponder, cause: unknown): void {
  host.fault(storeFailed(cause, requestIdOf(request)));
  refuse(responder, unkept);
}

function take(ports: PostPorts, posted: Posted): void {
  const { request, responder } = posted;
  const frame = readFrame(request.body, ports.rules);
  if ((frame.kind === 'request' || frame.kind === 'batch') && !ports.admits()) return refuse(responder, leaving);
  if (frame.kind === 'request') return takeRequest(ports, posted, frame.message);
  if (frame.kind === 'batch') return takeBatch(ports, posted, frame.arrivals);
  if (frame.kind === 'fault') return untaken(ports, responder, 400, frame.reply);
  const taken = (status: number): void => {
    if (status === 202) responder.send(202, {}, '');
    else untaken(ports, responder, status);
  };
  whenThere(
    () => takeOther(ports, posted, frame),
    taken,
    // What is learned and not kept holds here all the same; the record has it when the session is kept next.
    (cause) => {
      ports.host.fault(storeFailed(cause, requestIdOf(request)));
      taken(202);
    },
  );
}

function untaken(
  { host }: PostPorts,
  responder: HttpResponder,
  status: number,
  told?: Extract<Arrival, { kind: 'fault' }>['reply'],
): void {
  host.dropped.invalid++;
  const error = told?.error ?? { code: -32600, message: lostText(status) };
  responder.send(status, jsonType, JSON.stringify({ jsonrpc: '2.0', id: told?.id, error }));
}

const lostText = (status: number): string =>
  status === 404 ? 'There is no such session' : 'This message cannot be taken here';

function takeRequest(ports: PostPorts, posted: Posted, message: RequestMessage): void {
  const { request, responder, session } = posted;
  const { lone } = ports;
  const claim = claimedRevision(message.params);
  const lost = claim === undefined && session === 'lost' && message.method !== 'initialize';
  if (lost) return sendError(responder, message.id, rpcError('invalid-request', 'There is no such session'), 404);
  const known = claim === undefined && session !== 'lost' ? session : undefined;
  const chosen = choose(ports, request, message, claim, known, false);
  const { revision } = chosen;
  if (chosen.kind === 'refused')
    return new ExchangeReply(lone, responder, undefined).refuse(message.id, revision, chosen.error, chosen.status);
  if (chosen.kind === 'exchange') return takeExchange(ports, posted, message, revision);
  if (chosen.kind === 'handshake') return greet(ports, posted, message, revision);
  if (known !== undefined) return inSession(known, new SessionReply(known, revision, responder), message, revision);
  if (!ports.keepsSessions || (isPlain(request) && !needsMemory(message.method)))
    return StatelessReply.take(lone, responder, request.principal, message, revision);
  sendError(responder, message.id, rpcError('invalid-request', 'Name the session in the header Mcp-Session-Id'), 400);
}

function choose(
  { offered }: PostPorts,
  request: HttpRequest,
  { method, params }: RequestMessage,
  claim: unknown,
  session: HttpSession | undefined,
  batch: boolean,
): Selection {
  const header = request.header('mcp-protocol-version')?.trim() ?? null;
  return select(offered, { method, params, claim, session: session?.session.revision(), header, batch });
}

const listenMethod = 'subscriptions/listen';

function takeExchange(
  ports: PostPorts,
  { request, responder }: Posted,
  message: RequestMessage,
  revision: Revision,
): void {
  const { lone, exchanges } = ports;
  const reply = new ExchangeReply(lone, responder, request.principal);
  const { method, params } = message;
  const problem = mirrorProblem(request, method, params, lone.serving);
  const known = revision.client.requests.has(method);
  if (known && problem !== undefined) return reply.refuse(message.id, revision, rpcError('header-mismatch', problem));
  if (method === listenMethod && reply.acceptance === 'json')
    return reply.refuse(message.id, revision, rpcError('invalid-request', eventsOnly.text), eventsOnly.status);
  const read = revision.wire.readRequest(revision, 'client', method, params);
  if (!read.ok)
    return explain(reply, message, revision, read.refusal, read.refusal.reason === 'method-not-found' ? 404 : 400);
  exchanges.request(message, revision, read.value, reply);
  reply.attend(revision);
}

/** Opens a session, or answers as one that is forgotten at once. */
function greet(ports: PostPorts, { request, responder }: Posted, message: RequestMessage, revision: Revision): void {
  const { sessions, host, lone, keepsSessions, watch } = ports;
  const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
  if (!read.ok) return explain(new ExchangeReply(lone, responder, undefined), message, revision, read.refusal, 400);
  if (!keepsSessions) return StatelessReply.greet(ports, responder, message, revision);
  const problem = introductionProblem(read.value.params);
  if (problem !== undefined)
    return new ExchangeReply(lone, responder, undefined).refuse(message.id, revision, problem, 400);
  const begun = (session: HttpSession | undefined): void => {
    host.answering--;
    if (session === undefined) {
      sendError(responder, message.id, rpcError('overloaded', 'Too many sessions are open'), 503);
      return host.ended();
    }
    watch();
    const headers = { ...jsonType, 'mcp-session-id': session.id };
    session.session.initialize(message, revision, read.value, new SessionReply(session, revision, responder, headers));
  };
  const failed = (cause: unknown): void => {
    host.answering--;
    unlooked(ports, request, responder, cause);
    host.ended();
  };
  host.answering++;
  sessions.begin(revision, read.value.params, request.principal).then(begun, failed);
}

function inSession(session: HttpSession, reply: SessionReply, message: RequestMessage, revision: Revision): void {
  const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
  if (!read.ok) return explain(reply, message, revision, read.refusal, 200);
  if (session.isAnswering(message.id))
    return reply.refuse(message.id, revision, rpcError('invalid-request', 'A request of this id is under way'), 400);
  session.session.request(message, revision, read.value as Incoming, reply);
}

/** Requests of a batch are answered together; the rest of it is only taken. */
function takeBatch(ports: PostPorts, posted: Posted, arrivals: readonly Arrival[]): void {
  const { responder, session, request } = posted;
  if (session === undefined || session === 'lost' || session.session.revision()?.batches !== true) {
    const error = rpcError('invalid-request', 'This may not come in a batch');
    return sendError(responder, undefined, error, session === 'lost' ? 404 : 400);
  }
  const revision = session.session.revision() as Revision;
  const requests = arrivals.flatMap((arrival) => (arrival.kind === 'request' ? [arrival.message] : []));
  const faults = arrivals.flatMap((arrival) => (arrival.kind === 'fault' && arrival.reply ? [arrival.reply] : []));
  for (const arrival of arrivals)
    if (arrival.kind !== 'request' && arrival.kind !== 'fault')
      whenThere(
        () => takeOther(ports, posted, arrival),
        () => {},
        (cause) => ports.host.fault(storeFailed(cause, requestIdOf(request))),
      );
  if (requests.length + faults.length === 0) return responder.send(202, {}, '');
  const reply = new SessionReply(session, revision, responder);
  reply.batch = true;
  reply.missing = requests.length + faults.length;
  for (const { id, error } of faults) reply.refuse(id, revision, rpcError('invalid-request', error.message));
  for (const message of requests) {
    const claim = claimedRevision(message.params);
    const chosen = choose(ports, request, message, claim, session, true);
    if (chosen.kind === 'refused') reply.refuse(message.id, chosen.revision, chosen.error);
    else inSession(session, reply, message, revision);
  }
}

/** Takes a notification or an answer; gives the status that says so. */
function takeOther(
  ports: PostPorts,
  posted: Posted,
  arrival: Exclude<Arrival, { kind: 'request' | 'fault' }>,
): Soon<number> {
  const { session, request } = posted;
  if (unknownRevision(request, ports.offered) !== undefined) return 400;
  const alone = arrival.kind === 'notification' ? takeAlone(ports, posted, arrival.message) : undefined;
  if (alone !== undefined) return alone;
  if (session === 'lost') return 404;
  if (session === undefined) return 400;
  session.lastUsed = session.host.now();
  if (arrival.kind !== 'notification') {
    session.answered(arrival.message);
    return 202;
  }
  return notified(session, arrival.message);
}

/** Where nothing is remembered there is nothing to do about a notification, if it is one that could be taken. */
function takeAlone({ offered, keepsSessions }: PostPorts, { request, session }: Posted, message: NotificationMessage) {
  const claim = claimedRevision(message.params);
  const header = request.header('mcp-protocol-version')?.trim();
  const named = offered.revisions.find(({ id }) => id === header);
  if (claim === undefined) {
    const isAlone = !keepsSessions || named?.http.routingHeaders === true || isPlain(request);
    return session === undefined && isAlone ? 202 : undefined;
  }
  const { method } = message;
  const selection = select(offered, { method, claim, ...(header !== undefined && { header }) });
  return selection.kind === 'exchange' ? 202 : 400;
}

function notified(session: HttpSession, { method, params }: NotificationMessage): Soon<number> {
  const revision = session.session.revision();
  const read = revision?.wire.readNotification(revision, 'client', method, params);
  if (read === undefined || !read.ok) return 400;
  if (method === 'notifications/progress') session.progressed(read.value);
  else if (method === 'notifications/cancelled') cancel(session, read.value.params?.requestId as RequestId);
  else return soonThen(session.session.notified(read.value), () => 202);
  return 202;
}

/** What does not run here may run elsewhere. */
function cancel(session: HttpSession, id: RequestId): void {
  if (!session.cancel(id)) session.host.neighbours?.tell(session.key, { kind: 'cancelled', id });
}

function explain(reply: Reply, message: RequestMessage, revision: Revision, refusal: Refusal, status: number): void {
  answerRefusal(refusal, (error) => reply.refuse(message.id, revision, error, status));
}

/** An error in the words of sessions, for what reached none. */
function sendError(responder: HttpResponder, id: RequestId | undefined, error: RpcError, status: number): void {
  const body = { jsonrpc: '2.0', id, error: newestSession.wire.writeError(newestSession, error) };
  const headers = status === 503 ? { ...jsonType, 'retry-after': '1' } : jsonType;
  responder.send(status, headers, JSON.stringify(body));
}
