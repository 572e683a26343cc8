/** Serves a POST: finds its session, parses its body, and serves its messages. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { type Arrival, readFrame } from '../../../jsonrpc/frame.ts';
import { refusedAs } from '../admission/retry-after.ts';
import { type HttpRequest, type HttpResponder, jsonType, refuse, serverClosing, storeUnavailable } from '../message.ts';
import { serveBatch } from './batch.ts';
import { type Message, takeMessage } from './notification.ts';
import { type Posted, type PostPorts, warnOfStore } from './posted.ts';
import { serveRequest } from './request.ts';

/** A session in memory is found without a promise: most calls take this path. */
export function createPost(ports: PostPorts): (request: HttpRequest, responder: HttpResponder) => void | Promise<void> {
  const { sessions, hasSessions } = ports;
  return (request, responder) => {
    const id = request.header('mcp-session-id');
    if (id === undefined) return serve(ports, { request, responder, session: undefined });
    const session = hasSessions ? sessions.find(id, request.principal?.key) : 'lost';
    if (session !== undefined) return serve(ports, { request, responder, session });
    return resumeAndServe(ports, request, responder, id);
  };
}

async function resumeAndServe(
  ports: PostPorts,
  request: HttpRequest,
  responder: HttpResponder,
  id: string,
): Promise<void> {
  const { sessions, life, gate, host } = ports;
  const found = await sessions.resume(id, gate.callerOf(request)).catch((cause: unknown) => {
    warnOfStore(ports, request, cause);
    return 'failed' as const;
  });
  if (found === 'failed') return refuse(responder, storeUnavailable);
  life.scheduleUpkeep();
  if (found === undefined) host.serving.guard?.countRefusal(request.clientAddress, 'session-not-found');
  if (found instanceof RpcError) refuse(responder, life.isOpen ? refusedAs(found) : serverClosing);
  else await serve(ports, { request, responder, session: found ?? 'lost' });
}

function serve(ports: PostPorts, posted: Posted): void | Promise<void> {
  const { request, responder } = posted;
  const frame = readFrame(request.body, ports.rules);
  request.body = '';
  if ((frame.kind === 'request' || frame.kind === 'batch') && !ports.life.isOpen)
    return refuse(responder, serverClosing);
  if (frame.kind === 'request') return serveRequest(ports, posted, frame.message);
  if (frame.kind === 'batch') return serveBatch(ports, posted, frame.arrivals);
  if (frame.kind === 'invalid') return drop(ports, responder, 400, frame.reply);
  return acknowledge(ports, posted, frame);
}

/** Answers a notification or a response. */
async function acknowledge(ports: PostPorts, posted: Posted, message: Message): Promise<void> {
  const { request, responder } = posted;
  const status = await takeMessage(ports, posted, message).catch((cause: unknown) => {
    warnOfStore(ports, request, cause);
    // A notification has been applied here; the record gets it the next time that the session is stored.
    return message.kind === 'notification' ? 202 : storeUnavailable;
  });
  if (status === 202) responder.send(202, {}, '');
  else if (typeof status === 'object') refuse(responder, status);
  else drop(ports, responder, status);
}

function drop(
  { host }: PostPorts,
  responder: HttpResponder,
  status: number,
  reply?: Extract<Arrival, { kind: 'invalid' }>['reply'],
): void {
  host.dropped.invalid++;
  const error = reply?.error ?? { code: -32600, message: dropText(status) };
  responder.send(status, jsonType, JSON.stringify({ jsonrpc: '2.0', id: reply?.id, error }));
}

const dropText = (status: number): string =>
  status === 404 ? 'Session not found' : 'This message is not accepted here';
