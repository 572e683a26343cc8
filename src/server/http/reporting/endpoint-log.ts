/** What an endpoint logs: sessions opened and ended, refused requests, warnings, and its own close. */
import { createLog, type Logger, logWarning, shownSession } from '../../../lib/errors/logger.ts';
import { type DurableStore, durabilityOf, nameOf } from '../../../store/durability.ts';
import type { CloseListener, EventSink, HttpHeaders, HttpRequest, HttpResponder } from '../message.ts';
import { requestIdOf } from './request-id.ts';

export interface EndpointLog {
  warn(error: Error): void;
  /** Wraps the responder of a request: logs the response where it refuses the request or opens a session. */
  logged(request: HttpRequest, responder: HttpResponder): HttpResponder;
  /** A request was refused before it could be parsed: its id and method are not known. */
  logRefused(status: number): void;
  /** A host or an origin was refused: logs the text, which names the option that admits it, once for each. */
  notAllowed(text: string): void;
  sessionOpened(request: HttpRequest, id: string): void;
  sessionEnded(id: string, reason: string): void;
  storeAttached(store: DurableStore): void;
  draining(counts: object): void;
  closed(): void;
}

/** Clients can send any number of different hosts and origins: at most this many are logged. */
const maxNotAllowed = 100;

/** `undefined` without a logger: then responders are not wrapped. */
export function createEndpointLog(logger: Logger | undefined): EndpointLog | undefined {
  if (logger === undefined) return undefined;
  const log = createLog(logger);
  const notAllowed = new Set<string>();
  const refused = (requestId: string, method: string, status: number): void =>
    log(status < 500 ? 'info' : 'warn', { requestId, method, status }, 'request refused');
  const sessionOpened = (request: HttpRequest, id: string): void =>
    log('info', { requestId: requestIdOf(request), session: shownSession(id) }, 'session opened');
  const answered = (request: HttpRequest, status: number, headers: HttpHeaders): void => {
    const id = headers['mcp-session-id'];
    if (status >= 400) refused(requestIdOf(request), request.method, status);
    else if (id !== undefined) sessionOpened(request, id);
  };
  return {
    warn(error) {
      const { requestId } = ('details' in error ? error.details : {}) as { requestId?: unknown };
      logWarning(log, error, requestId === undefined ? {} : { requestId });
    },
    logged: (request, responder) => new LoggedResponder(request, responder, answered),
    logRefused: (status) => log('info', { status }, 'request refused'),
    notAllowed(text) {
      if (notAllowed.has(text) || notAllowed.size >= maxNotAllowed) return;
      notAllowed.add(text);
      log('warn', {}, text);
    },
    sessionOpened,
    sessionEnded: (id, reason) => log('info', { session: shownSession(id), reason }, 'session ended'),
    storeAttached: (store) => log('info', { store: nameOf(store), durability: durabilityOf(store) }, 'store attached'),
    draining: (counts) => log('info', counts, 'draining'),
    closed: () => log('info', {}, 'closed'),
  };
}

type Answered = (request: HttpRequest, status: number, headers: HttpHeaders) => void;

class LoggedResponder implements HttpResponder {
  received: HttpResponder['received'] = undefined;
  readonly #request: HttpRequest;
  readonly #responder: HttpResponder;
  readonly #answered: Answered;

  constructor(request: HttpRequest, responder: HttpResponder, answered: Answered) {
    this.#request = request;
    this.#responder = responder;
    this.#answered = answered;
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    this.#responder.send(status, headers, body);
    this.#answered(this.#request, status, headers);
  }

  stream(headers: HttpHeaders): EventSink {
    this.#answered(this.#request, 200, headers);
    return this.#responder.stream(headers);
  }

  onClose(listener: CloseListener): void {
    this.#responder.onClose(listener);
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  sentHeaders(): HttpHeaders {
    return this.#responder.sentHeaders?.() ?? {};
  }
}
