/** The exchanges of a recorded connection: each request of the client with what the server sent for it, in order. */
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { CapturedEvent } from '../format.ts';

/** A request of the client, and what the server sent until its response. */
export interface RecordedExchange {
  readonly method: string;
  readonly params: Fields;
  /** The id in the capture. */
  readonly id: unknown;
  /** What the server sent for it, without its response: notifications and requests. */
  readonly before: readonly Fields[];
  /** Absent if the capture has none: the call was cancelled, or the capture was cut off. */
  readonly response?: Fields;
  /** What the server sent until the next request of the client: notifications that belong to no request. */
  readonly after: readonly Fields[];
}

interface OpenExchange extends RecordedExchange {
  readonly before: Fields[];
  response?: Fields;
  readonly after: Fields[];
}

/** The numbers of the connections of a capture that have messages. */
export const connectionsIn = (events: readonly CapturedEvent[]): number[] => [
  ...new Set(events.flatMap(({ kind, connection }) => (kind === 'message' ? [connection] : []))),
];

export function exchangesIn(events: readonly CapturedEvent[], connection: number): RecordedExchange[] {
  const exchanges: OpenExchange[] = [];
  const open = new Map<string, OpenExchange>();
  for (const event of events) {
    if (event.kind !== 'message' || event.connection !== connection) continue;
    for (const message of [event.m].flat()) {
      if (!isRecord(message)) continue;
      if (event.from === 'client') begin(message, exchanges, open);
      else receive(message, event.respondsTo, exchanges, open);
    }
  }
  return exchanges;
}

function begin(message: Fields, exchanges: OpenExchange[], open: Map<string, OpenExchange>): void {
  const { id, method, params } = message;
  if (id === undefined || typeof method !== 'string') return;
  const exchange: OpenExchange = { method, id, params: isRecord(params) ? params : {}, before: [], after: [] };
  exchanges.push(exchange);
  open.set(JSON.stringify(id), exchange);
}

function receive(
  message: Fields,
  respondsTo: unknown,
  exchanges: readonly OpenExchange[],
  open: Map<string, OpenExchange>,
): void {
  const isResponse = message.method === undefined;
  const exchange = open.get(JSON.stringify(isResponse ? message.id : respondsTo)) ?? owner(message, open);
  if (!isResponse) return void (exchange?.before ?? exchanges.at(-1)?.after)?.push(message);
  if (exchange === undefined) return;
  exchange.response = message;
  open.delete(JSON.stringify(exchange.id));
}

/** Where messages do not arrive in responses: progress names its request; requests of the server belong to the only call that runs. */
function owner(message: Fields, open: ReadonlyMap<string, OpenExchange>): OpenExchange | undefined {
  const params = isRecord(message.params) ? message.params : {};
  if (params.progressToken !== undefined)
    return [...open.values()].find((one) => tokenOf(one.params) === params.progressToken);
  if (message.id === undefined && message.method !== 'notifications/message') return undefined;
  return [...open.values()].at(-1);
}

export function tokenOf(params: Fields): unknown {
  const meta = params._meta;
  return isRecord(meta) ? meta.progressToken : undefined;
}
