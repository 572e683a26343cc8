/** The verbs besides POST: a session is listened to by GET and ended by DELETE. */
import type { Speaking } from '../speaking.ts';
import type { Stream } from './event-log.ts';
import { eventStreamType, type HttpRequest, type HttpResponder, type Refused, refuse } from './message.ts';
import type { HttpSession } from './session.ts';
import type { SessionTable } from './sessions.ts';
import { unknownRevision } from './version-header.ts';

export interface VerbPorts {
  readonly speaking: Speaking;
  readonly sessions: SessionTable;
  /** Has somebody look after sessions and streams. */
  watch(): void;
}

export function createSessionVerbs(ports: VerbPorts): (request: HttpRequest, responder: HttpResponder) => void {
  return (request, responder) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'DELETE') return refuse(responder, notAllowed);
    const session = sessionOf(request, ports);
    if ('status' in session) return refuse(responder, session);
    if (method === 'GET') {
      if (listen(session, request, responder)) ports.watch();
      return;
    }
    ports.sessions.end(session, 'its client has ended it');
    responder.send(204, {}, '');
  };
}

/** Says whether there is something to listen to. */
function listen(session: HttpSession, request: HttpRequest, responder: HttpResponder): boolean {
  const place = streamFor(session, request);
  if ('status' in place) {
    refuse(responder, place);
    return false;
  }
  const { stream, last } = place;
  const sink = responder.stream(eventStreamType);
  session.busy++;
  responder.onClose({
    closed() {
      session.busy--;
      session.lastUsed = session.host.now();
      stream.lose(sink, stream === session.unasked);
    },
  });
  stream.attach(sink, last, request.eventName);
  return true;
}

/** The session that a GET or a DELETE is about. */
function sessionOf(request: HttpRequest, { speaking, sessions }: VerbPorts): HttpSession | Refused {
  const unknown = unknownRevision(request, speaking);
  if (unknown !== undefined) return unknown;
  const id = request.header('mcp-session-id');
  if (id === undefined) return { status: 400, text: 'Name the session in the header Mcp-Session-Id' };
  return sessions.find(id, request.principal) ?? { status: 404, text: 'There is no such session' };
}

/** Where to go on in a stream; without a `last`, after all that somebody was given. */
interface Place {
  readonly stream: Stream;
  readonly last?: number;
}

/** A stream that is taken up again, or one for what the server tells unasked. */
function streamFor(session: HttpSession, request: HttpRequest): Refused | Place {
  if (!/text\/(event-stream|\*)|\*\/\*/i.test(request.header('accept') ?? ''))
    return { status: 406, text: 'Send accept: text/event-stream' };
  const lastEvent = request.header('last-event-id');
  if (lastEvent !== undefined && session.session.revision()?.http.resumable === true)
    return session.log.find(lastEvent) ?? { status: 400, text: 'What followed this event is not kept any more' };
  if (!session.unasked.isRead) return { stream: session.unasked };
  if (!session.log.hasRoom()) return { status: 503, text: 'The session has too many streams' };
  return { stream: session.log.begin() };
}

const notAllowed: Refused = { status: 405, text: 'POST messages here', headers: { allow: 'POST, GET, DELETE' } };
export const postOnly: Refused = { ...notAllowed, headers: { allow: 'POST' } };
