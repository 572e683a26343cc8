/** Serves a batch: its requests are answered together; its notifications and responses get no answer. */
import type { Arrival } from '../../../jsonrpc/frame.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { claimedRevision } from '../../../protocol/exchange-wire.ts';
import { isFoundingRequest } from '../admission/founding-clients.ts';
import { type Refused, refuse, storeUnavailable } from '../message.ts';
import type { HttpSession } from '../session/session.ts';
import { replyInSession } from '../session/session-reply.ts';
import { refuseByScopes } from './batch-scopes.ts';
import { takeMessage } from './notification.ts';
import { type Posted, type PostPorts, sendError, warnOfStore } from './posted.ts';
import { choose, serveInSession } from './request.ts';
import { serveStatelessBatch } from './stateless-batch.ts';

const standsAlone = ({ hasSessions }: PostPorts, { session, request }: Posted): boolean =>
  session === undefined && (!hasSessions || isFoundingRequest(request));

export function serveBatch(ports: PostPorts, posted: Posted, arrivals: readonly Arrival[]): void | Promise<void> {
  if (standsAlone(ports, posted)) return serveStatelessBatch(ports, posted, arrivals);
  const { responder, session, request } = posted;
  const revision = typeof session === 'object' ? session.session.revision() : undefined;
  if (typeof session !== 'object' || revision?.batches !== true) {
    const error = rpcError('invalid-request', 'Batches need a session whose protocol version has them');
    return sendError(responder, undefined, error, session === 'lost' ? 404 : 400);
  }
  const requests = arrivals.flatMap((arrival) => (arrival.kind === 'request' ? [arrival.message] : []));
  const errorReplies = arrivals.flatMap((arrival) =>
    arrival.kind === 'invalid' && arrival.reply ? [arrival.reply] : [],
  );
  if (refuseByScopes(ports, posted, requests, revision)) return;
  const serveRequests = (): void => {
    if (requests.length + errorReplies.length === 0) return responder.send(202, {}, '');
    const reply = replyInSession(session, revision, request, responder);
    reply.batch = true;
    reply.ids = requests.map(({ id }) => id);
    reply.missing = requests.length + errorReplies.length;
    for (const { id, error } of errorReplies) reply.refuse(id, revision, rpcError('invalid-request', error.message));
    for (const message of requests) {
      const chosen = choose(ports, request, message, claimedRevision(message.params), session, true);
      if (chosen.kind === 'refused') reply.refuse(message.id, chosen.revision, chosen.error);
      else serveInSession(session, reply, message, revision);
    }
  };
  const serveAfter = async (all: readonly Promise<Refused | undefined>[]): Promise<void> => {
    const refused = await firstOf(session, all);
    if (refused !== undefined) refuse(responder, refused);
    else if (ports.sessions.has(session)) serveRequests();
    else sendError(responder, undefined, rpcError('invalid-request', 'Session not found'), 404);
  };
  const taken = takeMessages(ports, posted, arrivals);
  return taken.length === 0 ? serveRequests() : serveAfter(taken);
}

/** Waits for all; the session counts as used meanwhile, so that it only ends if it is ended. */
async function firstOf(
  session: HttpSession,
  all: readonly Promise<Refused | undefined>[],
): Promise<Refused | undefined> {
  session.busy++;
  try {
    return (await Promise.all(all)).find((one) => one !== undefined);
  } finally {
    session.busy--;
  }
}

/**
 * Takes notifications and responses. Both may have to be stored or passed on for another endpoint: the batch begins after
 * that, so that a client cannot send faster than it is done. Only a response that is not stored refuses the batch.
 */
function takeMessages(
  ports: PostPorts,
  posted: Posted,
  arrivals: readonly Arrival[],
): readonly Promise<Refused | undefined>[] {
  return arrivals.flatMap((arrival) => {
    if (arrival.kind === 'request' || arrival.kind === 'invalid') return [];
    const taken = takeOne(ports, posted, arrival);
    return [arrival.kind === 'notification' ? taken.then(() => undefined) : taken];
  });
}

async function takeOne(...given: Parameters<typeof takeMessage>): Promise<Refused | undefined> {
  const [ports, { request }] = given;
  try {
    const status = await takeMessage(...given);
    return typeof status === 'object' ? status : undefined;
  } catch (cause) {
    warnOfStore(ports, request, cause);
    return storeUnavailable;
  }
}
