/** What an endpoint tells a logger: sessions that begin and end, requests that are refused, faults, and its own end. */
import { createLog, type Logger, logWarning, shownSession } from '../../../jsonrpc/logger.ts';
import type { EventSink, HttpHeaders, HttpRequest, HttpResponder } from '../message.ts';
import { requestIdOf } from './request-id.ts';

export interface EndpointLog {
  fault(error: Error): void;
  /** The responder of a request, which tells how the request was answered where that is worth a line. */
  following(request: HttpRequest, responder: HttpResponder): HttpResponder;
  /** A request was refused before it was one: its id and method are not known. */
  turnedAway(status: number): void;
  sessionOpened(request: HttpRequest, id: string): void;
  sessionEnded(id: string, reason: string): void;
  draining(counts: object): void;
  closed(): void;
}

/** `undefined` without a logger: then nothing stands on the way of a request. */
export function createEndpointLog(logger: Logger | undefined): EndpointLog | undefined {
  if (logger === undefined) return undefined;
  const log = createLog(logger);
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
    fault(error) {
      const { requestId } = ('details' in error ? error.details : {}) as { requestId?: unknown };
      logWarning(log, error, requestId === undefined ? {} : { requestId });
    },
    following: (request, responder) => new FollowedResponder(request, responder, answered),
    turnedAway: (status) => log('info', { status }, 'request refused'),
    sessionOpened,
    sessionEnded: (id, reason) => log('info', { session: shownSession(id), reason }, 'session ended'),
    draining: (counts) => log('info', counts, 'draining'),
    closed: () => log('info', {}, 'closed'),
  };
}

type Answered = (request: HttpRequest, status: number, headers: HttpHeaders) => void;

class FollowedResponder implements HttpResponder {
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

  onClose(hearer: Parameters<HttpResponder['onClose']>[0]): void {
    this.#responder.onClose(hearer);
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }
}
