/** Serves a batch without a session: each request stands alone, and their results are sent as one JSON text. */
import type { Arrival } from '../../../jsonrpc/frame.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { claimedRevision } from '../../../protocol/exchange-wire.ts';
import type { CloseListener, EventSink, HttpHeaders, HttpResponder } from '../message.ts';
import { jsonType } from '../message.ts';
import { StatelessReply } from '../reply/stateless-reply.ts';
import { refuseByScopes } from './batch-scopes.ts';
import { type Posted, type PostPorts, sendError } from './posted.ts';
import { choose } from './request.ts';

export function serveStatelessBatch(ports: PostPorts, posted: Posted, arrivals: readonly Arrival[]): void {
  const { request, responder } = posted;
  // The header decides for the batch, which may have no request.
  const whole = choose(ports, request, { method: 'ping' }, undefined, undefined, true);
  if (whole.kind === 'refused') return sendError(responder, undefined, whole.error, 400);
  const requests = arrivals.flatMap((arrival) => (arrival.kind === 'request' ? [arrival.message] : []));
  const chosen = requests.map((message) => ({
    message,
    selection: choose(ports, request, message, claimedRevision(message.params), undefined, true),
  }));
  const replies = arrivals.flatMap((arrival) => (arrival.kind === 'invalid' && arrival.reply ? [arrival.reply] : []));
  if (requests.length + replies.length === 0) return responder.send(202, {}, '');
  if (refuseByScopes(ports, posted, requests, whole.revision)) return;
  const batch = new BatchResponse(responder, requests.length + replies.length);
  const { principal } = request;
  const caller = ports.gate.callerOf(request);
  const replyTo = (): StatelessReply => new StatelessReply(ports.calls, batch.part(), caller, principal);
  for (const { id, error } of replies) replyTo().refuse(id, whole.revision, rpcError('invalid-request', error.message));
  for (const { message, selection } of chosen) {
    if (selection.kind === 'refused') replyTo().refuse(message.id, whole.revision, selection.error);
    else StatelessReply.serve(ports.calls, batch.part(), caller, request, message, selection.revision);
  }
}

/** Collects the parts of one response. It listens for the close once: Node warns of many listeners. */
class BatchResponse implements CloseListener {
  readonly #responder: HttpResponder;
  readonly #texts: string[] = [];
  readonly #listeners = new Set<CloseListener>();
  #missing: number;

  constructor(responder: HttpResponder, parts: number) {
    this.#responder = responder;
    this.#missing = parts;
    responder.onClose(this);
  }

  closed(): void {
    for (const listener of this.#listeners) listener.closed();
  }

  /** The response to one request. It accepts only JSON, so that no part becomes a stream. */
  part(): HttpResponder {
    const responder = this.#responder;
    return {
      send: (_status: number, _headers: HttpHeaders, text: string) => this.#add(text),
      stream: (headers: HttpHeaders): EventSink => responder.stream(headers),
      onClose: (listener: CloseListener) => void this.#listeners.add(listener),
      received: responder.received,
      header: (name) => (name === 'accept' ? 'application/json' : responder.header?.(name)),
      sentHeaders: () => responder.sentHeaders?.() ?? {},
    };
  }

  #add(text: string): void {
    this.#texts.push(text);
    if (--this.#missing === 0) this.#responder.send(200, jsonType, `[${this.#texts.join(',')}]`);
  }
}
