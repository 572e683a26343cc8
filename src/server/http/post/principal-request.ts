/** Requests that change or read the state of a session, from a client that sends no session header: its principal has one. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../../jsonrpc/message.ts';
import { errorStatus } from '../../../protocol/errors.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { refuse, storeUnavailable } from '../message.ts';
import { StatelessReply } from '../reply/stateless-reply.ts';
import { type Posted, type PostPorts, sendError, warnOfStore } from './posted.ts';

/** Its notifications go to the stream on which the principal listens, now or later. */
export async function serveForPrincipal(
  ports: PostPorts,
  { request, responder }: Posted,
  message: RequestMessage,
  revision: Revision,
): Promise<void> {
  const { sessions, calls, gate, life, host } = ports;
  const caller = gate.callerOf(request);
  host.answering++;
  const session = await sessions.ofPrincipal(revision, caller).catch((cause: unknown) => {
    warnOfStore(ports, request, cause);
    return 'failed' as const;
  });
  host.answering--;
  if (session === 'failed' || session instanceof RpcError) {
    if (session === 'failed') refuse(responder, storeUnavailable);
    else sendError(responder, message.id, session, errorStatus(session.reason));
    return life.callFinished();
  }
  life.scheduleUpkeep();
  session.receivedFrom(request);
  session.lastUsed = host.now();
  StatelessReply.serveIn(session, calls, responder, caller, request, message);
}
