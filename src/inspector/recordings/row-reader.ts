/** Makes the rows of a timeline from events: what a message is, and which request it belongs to. */

import type { RequestId } from '../../jsonrpc/message.ts';
import { escapeControls } from '../../lib/text/control-characters.ts';
import { fields, isId, type MessagePart, partsOf, targetOf } from '../../protocol/history/message-parts.ts';
import type { TapEvent, TapHttp, TapSide } from '../../transport/tap.ts';
import type { Row } from '../api/timeline.ts';
import { beginningOf, maxNameChars } from '../stored-text.ts';
import { contentOf } from './row-content.ts';

type MessageEvent = Extract<TapEvent, { kind: 'message' }>;
type Details = Omit<Row, 'seq' | 'ms' | 'connection' | 'kind' | 'chars' | 'summary' | 'client'>;

interface OpenRequest {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly name?: string;
}

/** Requests that are remembered until their response; of more, the oldest are forgotten and have no pair. */
const maxOpen = 10_000;

const maxSummaryChars = 160;

/** A request whose ID is longer has no pair. */
const maxKeyChars = 2 * maxNameChars;

/** A name or method as a row has it: the message has it whole. */
export const shownName = <T extends string | undefined>(name: T): T =>
  (name === undefined ? undefined : beginningOf(name, maxNameChars)) as T;

const shownId = (id: RequestId): RequestId => (typeof id === 'string' ? shownName(id) : id);

export class RowReader {
  readonly #open = new Map<string, OpenRequest>();
  readonly #began: () => number;

  constructor(began: () => number) {
    this.#began = began;
  }

  /** `m` is the message, if it is parsed already. */
  read(event: TapEvent, text: string, m?: unknown): Row {
    const { seq, connection, kind } = event;
    const value = event.kind === 'message' ? (m ?? parsed(event.text)) : undefined;
    const details = event.kind === 'message' ? this.#message(event, value) : detailsOf(event);
    const summary = event.kind === 'message' ? messageSummary(event.text, value) : summaryOf(event);
    const shown = escapeControls(summary.slice(0, maxSummaryChars)).slice(0, maxSummaryChars);
    return { seq, ms: event.at - this.#began(), connection, kind, ...details, chars: text.length, summary: shown };
  }

  #message(event: MessageEvent, m: unknown): Details {
    const { from } = event;
    const parts = m === undefined ? [] : partsOf(m);
    const read = parts.map((part) => this.#part(part, event));
    const [first] = read;
    if (!Array.isArray(m)) return { from, type: 'invalid', ...first };
    const isError = read.some((one) => one.isError === true);
    return { from, type: 'batch', ...(first?.pair !== undefined && { pair: first.pair }), ...(isError && { isError }) };
  }

  #part(part: MessagePart, event: MessageEvent): Details {
    switch (part.type) {
      case 'request':
        return this.#request(part, event);
      case 'notification': {
        const { method, params } = part;
        const token = params.progressToken;
        const about = isId(token) ? this.#open.get(keyOf(event, other(event.from), token, 'progress')) : undefined;
        const shown = { method: shownName(method), ...named(targetOf(params)) };
        return { type: 'notification', ...shown, ...(about && { pair: about.seq }) };
      }
      case 'response':
      case 'error':
        return this.#answer(part, event);
      case 'invalid':
        return { type: 'invalid', isError: true };
    }
  }

  #request({ id, method, params }: Extract<MessagePart, { type: 'request' }>, event: MessageEvent): Details {
    const name = targetOf(params);
    const shown = { method: shownName(method), ...named(name) };
    const request: OpenRequest = { seq: event.seq, at: event.at, ...shown };
    this.#remember(keyOf(event, event.from, id), request);
    const { progressToken } = fields(params._meta);
    if (isId(progressToken)) this.#remember(keyOf(event, event.from, progressToken, 'progress'), request);
    return { type: 'request', ...shown, id: shownId(id) };
  }

  #answer(part: Extract<MessagePart, { type: 'response' | 'error' }>, event: MessageEvent): Details {
    const { type, id } = part;
    const isError = type === 'error' || part.result.isError === true;
    const own = { type, ...(id !== undefined && { id: shownId(id) }), ...(isError && { isError: true }) };
    const key = id === undefined ? '' : keyOf(event, other(event.from), id);
    const request = this.#open.get(key);
    if (request === undefined) return own;
    this.#open.delete(key);
    const { method, name, seq, at } = request;
    return { ...own, method, ...named(name), pair: seq, latencyMs: event.at - at };
  }

  #remember(key: string, request: OpenRequest): void {
    // Of a server that means no good: 10,000 of them would fill the memory.
    if (key.length > maxKeyChars) return;
    this.#open.set(key, request);
    if (this.#open.size > maxOpen) this.#open.delete(this.#open.keys().next().value ?? key);
  }
}

const named = (name: string | undefined): { readonly name?: string } =>
  name === undefined ? {} : { name: shownName(name) };

const other = (side: TapSide): TapSide => (side === 'client' ? 'server' : 'client');

/** JSON, since 1 and "1" are different ids. */
const keyOf = ({ connection }: TapEvent, from: TapSide, id: RequestId, kind = 'id'): string =>
  `${connection} ${from} ${kind} ${JSON.stringify(id)}`;

function detailsOf(event: Exclude<TapEvent, { kind: 'message' }>): Details {
  if (event.kind === 'warning') return { isError: true };
  if (event.kind !== 'http') return {};
  const { request, status, phase } = event;
  const isError = phase === 'broke' || (status ?? 0) >= 400;
  return { request, ...(status !== undefined && { status }), ...(isError && { isError }) };
}

/** A text that is no message is shown as it is. */
function messageSummary(text: string, m: unknown): string {
  const parts = m === undefined ? [] : partsOf(m);
  const isMessage = parts.length > 0 && parts.every(({ type }) => type !== 'invalid');
  return isMessage ? contentOf(parts, maxSummaryChars) : text;
}

function summaryOf(event: Exclude<TapEvent, { kind: 'message' }>): string {
  switch (event.kind) {
    case 'open':
      return `${event.transport} ${event.peer}`;
    case 'http':
      return httpSummary(event);
    case 'process':
      return `${event.phase} ${event.text}`;
    default:
      return event.text;
  }
}

function httpSummary({ phase, method, path, status, text }: TapHttp): string {
  if (phase === 'request') return `${method} ${path}`;
  if (phase === 'head') return String(status);
  return phase === 'end' ? 'end of the response' : `no response: ${text ?? ''}`;
}

/** `undefined` if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
