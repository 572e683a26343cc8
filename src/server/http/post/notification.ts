/** Receives a notification of a POST, or the response to a server request. */
import type { Arrival } from '../../../jsonrpc/frame.ts';
import { isRequestId, type NotificationMessage } from '../../../jsonrpc/message.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { Principal } from '../../../ports/principal.ts';
import { cancelledBy } from '../../../protocol/cancellation.ts';
import { claimedRevision } from '../../../protocol/exchange-wire.ts';
import { select } from '../../lifecycle/select.ts';
import { isFoundingRequest } from '../admission/founding-clients.ts';
import { unknownRevision } from '../admission/version-header.ts';
import type { Refused } from '../message.ts';
import { cancellationField } from '../session/nodes/cancellations.ts';
import type { HttpSession } from '../session/session.ts';
import type { Posted, PostPorts } from './posted.ts';

export type Message = Exclude<Arrival, { kind: 'request' | 'invalid' }>;

/** Resolves with the HTTP status, or with why an answer was not accepted. Rejects where the store fails. */
export async function takeMessage(ports: PostPorts, posted: Posted, arrival: Message): Promise<number | Refused> {
  const { session, request } = posted;
  if (unknownRevision(request, ports.offered) !== undefined) return 400;
  const status = arrival.kind === 'notification' ? statusOutsideSession(ports, posted, arrival.message) : undefined;
  if (status !== undefined) return status;
  if (session === 'lost') return 404;
  if (session === undefined) return 400;
  session.lastUsed = session.host.now();
  if (arrival.kind === 'notification') return takeNotification(session, arrival.message, request.principal);
  // Its record may have answers now: if it made room for others, nothing would count them.
  session.isUsed = true;
  return (await session.requests.receiveResponse(arrival.message)) ?? 202;
}

/** A valid notification outside a session is accepted and has no effect. `undefined` for one of a session. */
function statusOutsideSession(
  { offered, hasSessions }: PostPorts,
  { request, session }: Posted,
  { method, params }: NotificationMessage,
): number | undefined {
  const claim = claimedRevision(params);
  const header = request.header('mcp-protocol-version')?.trim();
  if (claim === undefined) {
    const named = offered.revisions.find(({ id }) => id === header);
    const needsNone = !hasSessions || named?.http.routingHeaders === true || isFoundingRequest(request);
    return session === undefined && needsNone ? 202 : undefined;
  }
  const selection = select(offered, { method, claim, ...(header !== undefined && { header }) });
  return selection.kind === 'exchange' ? 202 : 400;
}

async function takeNotification(
  session: HttpSession,
  { method, params }: NotificationMessage,
  principal: Principal | undefined,
): Promise<number> {
  const revision = session.session.revision();
  const read = revision?.wire.readNotification(revision, 'client', method, params);
  if (read === undefined || !read.ok) return 400;
  if (method === 'notifications/progress') await session.progressed(read.value);
  else if (method === 'notifications/tasks/status') session.taskChanged(read.value);
  else if (method === 'notifications/cancelled') return cancel(session, read.value.params);
  else await session.session.notified(read.value, principal);
  return 202;
}

/** A call that does not run here may run at another endpoint. */
async function cancel(session: HttpSession, { requestId: id, reason }: Fields = {}): Promise<number> {
  // No call has it, and what is stored for other endpoints has no more than a request may have.
  if (!isRequestId(id)) return id === undefined ? 202 : 400;
  const cancelled = cancelledBy('client', reason);
  const { nodeBus, store } = session.host;
  if (session.cancel(id, cancelled) || nodeBus === undefined) return 202;
  const cancellation = { id, reason: cancelled.details.reason };
  try {
    await store.sessions.update(session.key, cancellationField(cancellation));
  } finally {
    nodeBus.publish(session.key, { kind: 'cancelled', ...cancellation });
  }
  return 202;
}
