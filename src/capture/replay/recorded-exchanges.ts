/** The exchanges of a recorded connection: each request of the client with the messages that the server sent for it, in order. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CapturedEvent } from '../format.ts';

/** A message of the server. */
export interface RecordedMessage {
  readonly message: Fields;
  /** The last exchange that had begun, if it was another one. */
  readonly following?: RecordedExchange;
  /** The answer of the client, if it is a request. */
  answer?: Fields;
}

/** A request of the client, and the messages of the server until its response. */
export interface RecordedExchange {
  readonly method: string;
  readonly params: Fields;
  /** The id in the capture. */
  readonly id: unknown;
  /** Notifications and requests that the server sent for it before its response. */
  readonly before: readonly RecordedMessage[];
  /** Absent if the capture has none: the call was cancelled, or the capture was cut off. */
  readonly response?: Fields;
  /** Notifications that belong to no request, until the next request of the client. */
  readonly after: readonly Fields[];
}

interface OpenExchange extends RecordedExchange {
  readonly before: RecordedMessage[];
  response?: Fields;
  readonly after: Fields[];
}

/** The requests of a connection without a response so far. None is searched for: there may be very many. */
class OpenExchanges {
  readonly #byId = new Map<string, OpenExchange>();
  readonly #byToken = new Map<unknown, Set<OpenExchange>>();
  /** In their order; closed ones are removed from its end. */
  readonly #begun: OpenExchange[] = [];

  add(exchange: OpenExchange): void {
    const before = this.withId(exchange.id);
    if (before !== undefined) this.delete(before);
    this.#byId.set(JSON.stringify(exchange.id), exchange);
    this.#begun.push(exchange);
    const token = tokenOf(exchange.params);
    if (token === undefined) return;
    const others = this.#byToken.get(token);
    if (others === undefined) this.#byToken.set(token, new Set([exchange]));
    else others.add(exchange);
  }

  delete(exchange: OpenExchange): void {
    this.#byId.delete(JSON.stringify(exchange.id));
    this.#byToken.get(tokenOf(exchange.params))?.delete(exchange);
  }

  withId(id: unknown): OpenExchange | undefined {
    return this.#byId.get(JSON.stringify(id));
  }

  /** The first of them. */
  withToken(token: unknown): OpenExchange | undefined {
    const [first] = this.#byToken.get(token) ?? [];
    return first;
  }

  get last(): OpenExchange | undefined {
    for (let last = this.#begun.at(-1); last !== undefined; last = this.#begun.at(-1)) {
      if (this.withId(last.id) === last) return last;
      this.#begun.pop();
    }
    return undefined;
  }
}

type MessageEvent = Extract<CapturedEvent, { readonly kind: 'message' }>;

/** The exchanges of each connection that has messages, by its number. The events are read once, however many there are. */
export function exchangesByConnection(events: readonly CapturedEvent[]): Map<number, RecordedExchange[]> {
  const messages = new Map<number, MessageEvent[]>();
  for (const event of events) {
    if (event.kind !== 'message') continue;
    const own = messages.get(event.connection);
    if (own === undefined) messages.set(event.connection, [event]);
    else own.push(event);
  }
  return new Map([...messages].map(([connection, own]) => [connection, exchangesOf(own)]));
}

function exchangesOf(events: readonly MessageEvent[]): RecordedExchange[] {
  const exchanges: OpenExchange[] = [];
  const open = new OpenExchanges();
  const asked = new Map<string, RecordedMessage>();
  for (const event of events) {
    for (const message of [event.m].flat()) {
      if (!isRecord(message)) continue;
      if (event.from === 'server') {
        const sent = receive(message, event.respondsTo, exchanges, open);
        if (sent !== undefined && message.id !== undefined) asked.set(JSON.stringify(message.id), sent);
      } else if (message.method === undefined) {
        const request = asked.get(JSON.stringify(message.id));
        if (request !== undefined) request.answer = message;
      } else begin(message, exchanges, open);
    }
  }
  return exchanges;
}

function begin(message: Fields, exchanges: OpenExchange[], open: OpenExchanges): void {
  const { id, method, params } = message;
  if (id === undefined || typeof method !== 'string') return;
  const exchange: OpenExchange = { method, id, params: isRecord(params) ? params : {}, before: [], after: [] };
  exchanges.push(exchange);
  open.add(exchange);
}

/** Returns the message as it belongs to an exchange, unless it is a response. */
function receive(
  message: Fields,
  respondsTo: unknown,
  exchanges: readonly OpenExchange[],
  open: OpenExchanges,
): RecordedMessage | undefined {
  const isResponse = message.method === undefined;
  const exchange = open.withId(isResponse ? message.id : respondsTo) ?? owner(message, open);
  const last = exchanges.at(-1);
  if (exchange === undefined) {
    if (!isResponse) last?.after.push(message);
    return undefined;
  }
  if (isResponse) {
    exchange.response = message;
    open.delete(exchange);
    return undefined;
  }
  const isOther = last !== undefined && last !== exchange;
  const sent: RecordedMessage = { message, ...(isOther && { following: last }) };
  exchange.before.push(sent);
  return sent;
}

/** Where messages do not arrive in responses: progress names its request; requests of the server belong to the only call that runs. */
function owner(message: Fields, open: OpenExchanges): OpenExchange | undefined {
  const params = isRecord(message.params) ? message.params : {};
  if (params.progressToken !== undefined) return open.withToken(params.progressToken);
  if (message.id === undefined && message.method !== 'notifications/message') return undefined;
  return open.last;
}

export function tokenOf(params: Fields): unknown {
  const meta = params._meta;
  return isRecord(meta) ? meta.progressToken : undefined;
}
