/** The verbs besides POST: a session is listened to by GET and ended by DELETE. */
import type { KeptEvent } from '../../../store/event-store.ts';
import { type Soon, soonThen, whenThere } from '../../../store/maybe-promise.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import { select } from '../../lifecycle/select.ts';
import { serverCloses } from '../../ports/link.ts';
import { acceptanceOf } from '../admission/accept.ts';
import { unknownRevision } from '../admission/version-header.ts';
import {
  eventStreamType,
  eventsOnly,
  type HttpRequest,
  type HttpResponder,
  leaving,
  type Refused,
  refuse,
  unkept,
} from '../message.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { HttpSession, SessionHost } from './session.ts';
import { storeFailed } from './session-record.ts';
import type { SessionTable } from './session-table.ts';
import { formatKept, placeOf, type Stream } from './streams.ts';

export interface VerbPorts {
  readonly offered: OfferedRevisions;
  readonly sessions: SessionTable;
  readonly host: SessionHost;
  /** Whether requests are let in. */
  admits(): boolean;
  /** Has somebody look after sessions and streams. */
  watch(): void;
}

export function createSessionVerbs(ports: VerbPorts): (request: HttpRequest, responder: HttpResponder) => void {
  return (request, responder) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'DELETE') return refuse(responder, notAllowed);
    const failed = (cause: unknown): void => {
      ports.host.fault(storeFailed(cause, requestIdOf(request)));
      refuse(responder, unkept);
    };
    const found = (session: HttpSession | Refused): void => {
      if (!ports.admits()) return turnAway(ports, session, request, responder, failed);
      if ('status' in session) return refuse(responder, session);
      ports.watch();
      if (method === 'GET') listen(ports, session, request, responder, failed);
      else
        whenThere(
          () => ports.sessions.end(session, 'its client has ended it'),
          () => responder.send(204, {}, ''),
          failed,
        );
    };
    whenThere(() => sessionOf(request, ports), found, failed);
  };
}

/** The server has begun to close while the session was looked up: a stream that opens now would never be ended. */
function turnAway(
  { sessions }: VerbPorts,
  session: HttpSession | Refused,
  request: HttpRequest,
  responder: HttpResponder,
  failed: (cause: unknown) => void,
): void {
  const away = (): void => refuse(responder, leaving);
  if ('status' in session || !isPlainListener(request)) return away();
  whenThere(() => sessions.end(session, serverCloses), away, failed);
}

function listen(
  ports: VerbPorts,
  session: HttpSession,
  request: HttpRequest,
  responder: HttpResponder,
  failed: (cause: unknown) => void,
): void {
  const isPlain = isPlainListener(request);
  if (isPlain) ports.host.log?.sessionOpened(request, session.id);
  const attach = (place: Refused | Place | Rest): void => {
    if (!ports.admits()) return refuse(responder, leaving);
    if ('status' in place) return refuse(responder, place);
    if ('events' in place) return giveRest(session, place, request, responder);
    const stream = streamAt(session, place);
    if (stream === undefined) return refuse(responder, tooManyStreams);
    const sink = responder.stream(eventStreamType);
    session.busy++;
    responder.onClose({
      closed() {
        session.busy--;
        session.lastUsed = session.host.now();
        session.left(stream, sink);
        if (isPlain)
          whenThere(
            () => ports.sessions.end(session, 'its client has gone'),
            () => {},
            failed,
          );
      },
    });
    session.came(stream, sink, place.last, request.eventName, place.name === undefined);
  };
  whenThere<Refused | Place | Rest>(() => (isPlain ? {} : placeFor(session, request)), attach, failed);
}

/** Clients of the founding documents listen without a session, at an address of its own. */
const isPlainListener = (request: HttpRequest): boolean =>
  request.eventName !== undefined && request.header('mcp-session-id') === undefined;

/** The session that a GET or a DELETE is about. */
function sessionOf(request: HttpRequest, ports: VerbPorts): Soon<HttpSession | Refused> {
  const { offered, sessions } = ports;
  const unknown = unknownRevision(request, offered);
  if (unknown !== undefined) return unknown;
  if (isPlainListener(request)) return plainListener(request, ports);
  const id = request.header('mcp-session-id');
  if (id === undefined) return unnamed;
  const held = sessions.find(id, request.principal);
  if (held !== undefined) return held;
  return sessions.takeUp(id, request.principal).then((taken) => (taken === 'full' ? full : (taken ?? missing)));
}

/** A session that lasts as long as its stream, for whoever listens without one. */
function plainListener(request: HttpRequest, { offered, sessions }: VerbPorts): Soon<HttpSession | Refused> {
  if (!takesEvents(request)) return eventsOnly;
  const header = request.header('mcp-protocol-version')?.trim() ?? null;
  const chosen = select(offered, { method: 'ping', claim: undefined, header });
  if (chosen.kind !== 'session') return unnamed;
  return sessions.beginListening(chosen.revision, request.principal).then((session) => session ?? full);
}

function takesEvents(request: HttpRequest): boolean {
  const accept = request.header('accept');
  // Clients of the founding documents do not say; whoever comes to that address comes for events.
  if (accept === undefined && request.eventName !== undefined) return true;
  const acceptance = acceptanceOf(accept ?? '');
  return acceptance === 'events' || acceptance === 'either';
}

/** Which stream, and where to go on in it, as the reader has said; without a name, after all that somebody was given. */
interface Place {
  /** Absent for the stream of what the server tells unasked. */
  readonly name?: string;
  readonly last?: number;
}

/** What follows in a stream that has ended. */
interface Rest {
  readonly name: string;
  readonly events: readonly KeptEvent[];
}

/** A stream that is taken up again, or the one for what the server tells unasked. */
function placeFor(session: HttpSession, request: HttpRequest): Soon<Refused | Place | Rest> {
  if (!takesEvents(request)) return eventsOnly;
  const lastEvent = request.header('last-event-id');
  if (lastEvent === undefined || session.session.revision()?.http.resumable !== true) return session.telling.unheard();
  const place = placeOf(lastEvent);
  if (place === undefined) return notKept;
  const { store } = session.host;
  return soonThen(store.events.after(session.key, place.name, place.last), (found) => {
    if (found === undefined || found.from > place.last) return notKept;
    return found.ended ? { name: place.name, events: found.events } : place;
  });
}

/**
 * Gives what is left of a stream. Where nothing is, 204 says so for good, as it does to every reader of events: after a
 * stream that ends empty, clients of the official SDK ask for another one, which stays.
 */
function giveRest(session: HttpSession, { name, events }: Rest, request: HttpRequest, responder: HttpResponder): void {
  session.lastUsed = session.host.now();
  if (events.length === 0) return responder.send(204, {}, '');
  const line = request.eventName === undefined ? '' : `event: ${request.eventName}\n`;
  const sink = responder.stream(eventStreamType);
  for (const { n, data } of events) sink.write(line + formatKept(name, n, data));
  sink.end();
}

/** The stream to read; `undefined` where there are too many. */
function streamAt(session: HttpSession, { name }: Place): Stream | undefined {
  const { streams, host, unasked } = session;
  if (name === undefined || name === unasked.name) {
    session.telling.claim();
    return unasked;
  }
  const known = streams.get(name);
  if (known !== undefined) return known;
  return streams.followed >= host.maxStreams ? undefined : streams.open(name, 'elsewhere');
}

const unnamed: Refused = { status: 400, text: 'Name the session in the header Mcp-Session-Id' };
const missing: Refused = { status: 404, text: 'There is no such session' };
const full: Refused = { status: 503, text: 'Too many sessions are open', headers: { 'retry-after': '1' } };
const notKept: Refused = { status: 400, text: 'What followed this event is not kept any more' };
const tooManyStreams: Refused = {
  status: 503,
  text: 'The session has too many streams',
  headers: { 'retry-after': '1' },
};
const notAllowed: Refused = { status: 405, text: 'POST messages here', headers: { allow: 'POST, GET, DELETE' } };
export const postOnly: Refused = { ...notAllowed, headers: { allow: 'POST' } };
