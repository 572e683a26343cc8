/** Serves one request of a POST, by its revision: as an exchange, as a handshake, or in a session. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../../jsonrpc/message.ts';
import { errorStatus, rpcError } from '../../../protocol/errors.ts';
import { claimedRevision } from '../../../protocol/exchange-wire.ts';
import type { Incoming, Refusal } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { revisionOfClient } from '../../lifecycle/offered-revisions.ts';
import { answerRefusal } from '../../lifecycle/refusals.ts';
import { type Selection, select } from '../../lifecycle/select.ts';
import { introductionProblem } from '../../lifecycle/session-bounds.ts';
import { isFoundingRequest } from '../admission/founding-clients.ts';
import { mirrorProblem } from '../admission/mirrored-headers.ts';
import { eventsOnly, type HttpRequest, jsonType, refuse, storeUnavailable } from '../message.ts';
import { ExchangeReply } from '../reply/exchange-reply.ts';
import type { Reply } from '../reply/reply.ts';
import { needsPrincipal, StatelessReply } from '../reply/stateless-reply.ts';
import { HttpSession } from '../session/session.ts';
import { replyInSession, type SessionReply } from '../session/session-reply.ts';
import { type Posted, type PostPorts, sendError, warnOfStore } from './posted.ts';
import { serveForPrincipal } from './principal-request.ts';

export function serveRequest(ports: PostPorts, posted: Posted, message: RequestMessage): void | Promise<void> {
  const { request, responder, session } = posted;
  const { calls } = ports;
  const claim = claimedRevision(message.params);
  const lost = claim === undefined && session === 'lost' && message.method !== 'initialize';
  if (lost) return sendError(responder, message.id, rpcError('invalid-request', 'Session not found'), 404);
  const known = claim === undefined && session !== 'lost' ? session : undefined;
  const chosen = choose(ports, request, message, claim, known, false);
  const { revision } = chosen;
  if (chosen.kind === 'refused')
    return new ExchangeReply(calls, responder).refuse(message.id, revision, chosen.error, chosen.status);
  if (chosen.kind === 'exchange') return serveExchange(ports, posted, message, revision);
  if (chosen.kind === 'handshake') return serveHandshake(ports, posted, message, revision);
  if (known !== undefined)
    return serveInSession(known, replyInSession(known, revision, request, responder), message, revision);
  const { method } = message;
  const isBare = isFoundingRequest(request);
  if (ports.hasSessions && isBare && request.principal !== undefined && needsPrincipal(method))
    return serveForPrincipal(ports, posted, message, revision);
  if (!ports.hasSessions || (isBare && !needsPrincipal(method)))
    return StatelessReply.serve(calls, responder, ports.gate.callerOf(request), request, message, revision);
  sendError(
    responder,
    message.id,
    rpcError(
      'invalid-request',
      'Send initialize first and its Mcp-Session-Id in every request, or name the protocol version in params._meta',
    ),
    400,
  );
}

export function choose(
  { offered }: PostPorts,
  request: HttpRequest,
  { method, params }: Pick<RequestMessage, 'method' | 'params'>,
  claim: unknown,
  session: HttpSession | undefined,
  batch: boolean,
): Selection {
  const header = request.header('mcp-protocol-version')?.trim() ?? null;
  return select(offered, { method, params, claim, session: session?.session.revision(), header, batch });
}

const listenMethod = 'subscriptions/listen';

function serveExchange(
  { calls, exchanges, gate }: PostPorts,
  { request, responder }: Posted,
  message: RequestMessage,
  revision: Revision,
): void {
  const reply = new ExchangeReply(calls, responder, gate.callerOf(request), request.principal);
  reply.address = request.clientAddress;
  const { method, params } = message;
  const problem = mirrorProblem(request, method, params, calls.serving, reply);
  const known = revision.client.requests.has(method);
  if (known && problem !== undefined) return reply.refuse(message.id, revision, rpcError('header-mismatch', problem));
  if (method === listenMethod && reply.acceptance === 'json')
    return reply.refuse(message.id, revision, rpcError('invalid-request', eventsOnly.text), eventsOnly.status);
  const read = revision.wire.readRequest(revision, 'client', method, params);
  if (!read.ok)
    return explain(reply, message, revision, read.refusal, read.refusal.reason === 'method-not-found' ? 404 : 400);
  exchanges.request(message, revision, read.value, reply);
  reply.awaitCall(revision);
}

/** Opens a session, or answers without one if the server has no sessions. */
function serveHandshake(
  ports: PostPorts,
  posted: Posted,
  message: RequestMessage,
  revision: Revision,
): void | Promise<void> {
  const { calls, hasSessions } = ports;
  const { responder } = posted;
  const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
  if (!read.ok) return explain(new ExchangeReply(calls, responder), message, revision, read.refusal, 400);
  if (!hasSessions) return StatelessReply.initialize(ports, posted, message, revision, read.value);
  const problem = introductionProblem(read.value.params);
  if (problem !== undefined) return new ExchangeReply(calls, responder).refuse(message.id, revision, problem, 400);
  const own = revisionOfClient(ports.offered, revision, read.value.params, calls.serving.failed);
  if (own instanceof RpcError) return new ExchangeReply(calls, responder).refuse(message.id, revision, own, 500);
  return openSession(ports, posted, message, own, read.value);
}

async function openSession(
  ports: PostPorts,
  { request, responder }: Posted,
  message: RequestMessage,
  revision: Revision,
  call: Incoming,
): Promise<void> {
  const { sessions, host, life, gate } = ports;
  host.answering++;
  const session = await sessions.begin(revision, call.params, gate.callerOf(request)).catch((cause: unknown) => {
    warnOfStore(ports, request, cause);
    return 'failed' as const;
  });
  host.answering--;
  if (session instanceof HttpSession) {
    life.scheduleUpkeep();
    const headers = { ...jsonType, 'mcp-session-id': session.id };
    const reply = replyInSession(session, revision, request, responder, headers);
    return session.session.initialize(message, revision, call, reply);
  }
  if (session === 'failed') refuse(responder, storeUnavailable);
  else sendError(responder, message.id, session, errorStatus(session.reason));
  life.callFinished();
}

export function serveInSession(
  session: HttpSession,
  reply: SessionReply,
  message: RequestMessage,
  revision: Revision,
): void {
  session.isUsed = true;
  const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
  if (!read.ok) return explain(reply, message, revision, read.refusal, 200);
  if (session.isAnswering(message.id))
    return reply.refuse(
      message.id,
      revision,
      rpcError('invalid-request', 'A request with this id is already in progress'),
      400,
    );
  session.session.request(message, revision, read.value, reply);
}

/** Refuses a request, with the place of the problem if it can be found. */
function explain(reply: Reply, message: RequestMessage, revision: Revision, refusal: Refusal, status: number): void {
  answerRefusal(refusal, (error) => reply.refuse(message.id, revision, error, status));
}
