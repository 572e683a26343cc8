/** The methods besides POST: a GET listens to a session, a DELETE ends it. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { runInBackground } from '../../../lib/values/maybe-promise.ts';
import type { StoredEvent } from '../../../store/event-store.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import { select } from '../../lifecycle/select.ts';
import { atExpiry } from '../../ports/expiry.ts';
import { serverCloses } from '../../ports/link.ts';
import { acceptanceOf } from '../admission/accept.ts';
import { impliesEvents, isFoundingListener } from '../admission/founding-clients.ts';
import type { Gate } from '../admission/gate/gate.ts';
import { refusedAs } from '../admission/retry-after.ts';
import { unknownRevision } from '../admission/version-header.ts';
import type { EndpointLife } from '../endpoint-life.ts';
import {
  eventStreamType,
  eventsOnly,
  type HttpRequest,
  type HttpResponder,
  type Refused,
  refuse,
  serverClosing,
  storeUnavailable,
} from '../message.ts';
import { retryHint } from '../reply/event-output.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { HttpSession, SessionHost } from './session.ts';
import { storeFailed } from './session-record.ts';
import type { SessionTable } from './session-table.ts';
import { eventLine, formatWithId, readEventId } from './streams/event-ids.ts';
import type { Stream } from './streams/stream.ts';

export interface VerbPorts {
  readonly offered: OfferedRevisions;
  readonly life: EndpointLife;
  readonly gate: Gate;
  readonly sessions: SessionTable;
  readonly host: SessionHost;
}

type ServeVerb = (request: HttpRequest, responder: HttpResponder) => void | Promise<void>;

/** For servers without sessions. */
export const refuseVerbs: ServeVerb = (_request, responder) => refuse(responder, postOnly);

export function createSessionVerbs(ports: VerbPorts): ServeVerb {
  return async (request, responder) => {
    if (request.method !== 'GET' && request.method !== 'DELETE') return refuse(responder, notAllowed);
    try {
      await serveVerb(ports, request, responder);
    } catch (cause) {
      ports.host.warn(storeFailed(cause, requestIdOf(request)));
      refuse(responder, storeUnavailable);
    }
  };
}

async function serveVerb(ports: VerbPorts, request: HttpRequest, responder: HttpResponder): Promise<void> {
  const { life, sessions } = ports;
  const session = await findSession(request, ports);
  if (!life.isOpen) {
    // The session of a founding listener was begun for this request alone.
    if (!('status' in session) && isFoundingListener(request) && !session.holdsState)
      await sessions.end(session, serverCloses);
    return refuse(responder, serverClosing);
  }
  if ('status' in session) return refuse(responder, session);
  life.scheduleUpkeep();
  if (request.method === 'GET') return listen(ports, session, request, responder);
  await sessions.end(session, 'the client ended it');
  responder.send(204, {}, '');
}

/** The session of a GET or a DELETE. */
async function findSession(request: HttpRequest, ports: VerbPorts): Promise<HttpSession | Refused> {
  const { offered, sessions, gate, host } = ports;
  const unknown = unknownRevision(request, offered);
  if (unknown !== undefined) return unknown;
  if (isFoundingListener(request)) return beginListening(request, ports);
  const id = request.header('mcp-session-id');
  if (id === undefined) return unnamed;
  const session = sessions.find(id, request.principal?.key) ?? (await sessions.resume(id, gate.callerOf(request)));
  if (session === undefined) host.serving.guard?.countRefusal(request.clientAddress, 'session-not-found');
  return session instanceof RpcError ? refusedAs(session) : (session ?? missing);
}

/** A session for a client that listens without one; it ends with its stream. */
async function beginListening(
  request: HttpRequest,
  { offered, sessions, gate }: VerbPorts,
): Promise<HttpSession | Refused> {
  if (!acceptsEvents(request)) return eventsOnly;
  const header = request.header('mcp-protocol-version')?.trim() ?? null;
  const chosen = select(offered, { method: 'ping', claim: undefined, header });
  if (chosen.kind !== 'session') return unnamed;
  const known = request.principal && sessions.listening(request.principal.key);
  if (known?.holdsState === true) return known;
  const session = await sessions.beginListening(chosen.revision, gate.callerOf(request));
  return session instanceof RpcError ? refusedAs(session) : session;
}

function acceptsEvents(request: HttpRequest): boolean {
  if (impliesEvents(request)) return true;
  const acceptance = acceptanceOf(request.header('accept') ?? '');
  return acceptance === 'events' || acceptance === 'either';
}

async function listen(
  ports: VerbPorts,
  session: HttpSession,
  request: HttpRequest,
  responder: HttpResponder,
): Promise<void> {
  const { life, sessions, host } = ports;
  const endsWithStream = isFoundingListener(request);
  session.isUsed = true;
  session.receivedFrom(request);
  if (endsWithStream) host.log?.sessionOpened(request, session.id);
  let stop = (): void => {};
  let isClosed = false;
  // In use from here on: while the store is read, messages may be lost, and then sessions that no client uses are dropped.
  session.busy++;
  responder.onClose({
    closed() {
      isClosed = true;
      session.busy--;
      session.lastUsed = host.now();
      stop();
      if (!endsWithStream || session.holdsState) return;
      const failed = (cause: unknown): void => host.warn(storeFailed(cause, requestIdOf(request)));
      runInBackground(() => sessions.end(session, 'the client disconnected'), failed);
    },
  });
  const place = endsWithStream && !session.holdsState ? {} : await findPlace(session, request);
  if (isClosed) return;
  if (!life.isOpen) return refuse(responder, serverClosing);
  // It has ended meanwhile, or goes on from its record.
  if (!sessions.has(session)) return serveVerb(ports, request, responder);
  if ('status' in place) return refuse(responder, place);
  if ('events' in place) return sendRest(place, request, responder);
  const stream = streamAt(session, place);
  if (stream === undefined) return refuse(responder, tooManyStreams);
  const sink = responder.stream(eventStreamType);
  const stopWaiting = atExpiry(host.serving, request.principal, () => {
    session.detachReader(stream, sink);
    sink.write(retryHint);
    sink.end();
  });
  stop = () => {
    stopWaiting();
    session.detachReader(stream, sink);
  };
  session.attachReader(stream, sink, place.last, request.eventName, place.name === undefined);
}

/** The stream to read, and the event after which to read it; without an event, after all that were sent. */
interface Place {
  /** Absent for the stream of messages that belong to no call. */
  readonly name?: string;
  readonly last?: number;
}

/** The remaining events of a stream that has ended. */
interface Rest {
  readonly name: string;
  readonly events: readonly StoredEvent[];
}

/** The stream that `Last-Event-ID` names, or the one for messages that belong to no call. */
async function findPlace(session: HttpSession, request: HttpRequest): Promise<Refused | Place | Rest> {
  if (!acceptsEvents(request)) return eventsOnly;
  const lastEvent = request.header('last-event-id');
  if (lastEvent === undefined || session.session.revision()?.http.resumable !== true)
    return session.notifier.lastSent();
  const place = readEventId(lastEvent);
  if (place === undefined) return notStored;
  const found = await session.host.store.events.readAfter(session.key, place.name, place.last);
  if (found === undefined || found.from > place.last) return notStored;
  return found.ended ? { name: place.name, events: found.events } : place;
}

/**
 * Sends the rest of a stream. If there is none, 204 makes the client stop reconnecting, as it does every EventSource:
 * after an empty stream, clients of the official SDK would open another one, which stays open.
 */
function sendRest({ name, events }: Rest, request: HttpRequest, responder: HttpResponder): void {
  if (events.length === 0) return responder.send(204, {}, '');
  const line = eventLine(request.eventName);
  const sink = responder.stream(eventStreamType);
  for (const { n, data } of events) sink.write(line + formatWithId(name, n, data));
  sink.end();
}

/** `undefined` if the session has too many streams. */
function streamAt(session: HttpSession, { name }: Place): Stream | undefined {
  const { streams, host, serverStream } = session;
  if (name === undefined || name === serverStream.name) {
    session.notifier.claim();
    return serverStream;
  }
  const known = streams.get(name);
  if (known !== undefined) return known;
  return streams.writtenElsewhere >= host.maxStreams ? undefined : streams.open(name, 'elsewhere');
}

const unnamed: Refused = { status: 400, text: 'Send the id of the session in the header Mcp-Session-Id' };
const missing: Refused = { status: 404, text: 'Session not found' };
const notStored: Refused = { status: 400, text: 'The events after this one are no longer stored' };
const tooManyStreams: Refused = {
  status: 503,
  text: 'Too many streams of this session are open',
  headers: { 'retry-after': '1' },
};
const notAllowed: Refused = {
  status: 405,
  text: 'Method not allowed: send messages with POST',
  headers: { allow: 'POST, GET, DELETE' },
};
const postOnly: Refused = { ...notAllowed, headers: { allow: 'POST' } };
