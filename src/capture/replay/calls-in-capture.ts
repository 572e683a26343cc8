/** The calls of a capture that a client can make again, with the results they had. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ReadCapture } from '../read-capture.ts';
import { callKey, isLaterRound } from './matching.ts';
import { exchangesByConnection, type RecordedExchange } from './recorded-exchanges.ts';

/** A request of the server during a call, and what the client answered. */
export interface RecordedAnswer {
  /** The method, such as `elicitation/create`. */
  readonly method: string;
  /** The params of the request. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The answer. Absent if the client refused with an error. What users answered to forms may have been removed. */
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A call with its recorded outcome. A call that needed several rounds is one. */
export interface RecordedCall {
  /** The number of its connection in the capture. */
  readonly connection: number;
  /** The protocol version of its connection, if the capture says it. */
  readonly protocolVersion?: string;
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The params, without `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The server requests during the call, in order. Absent if there were none. */
  readonly answers?: readonly RecordedAnswer[];
  /** The capabilities of the client, if the capture says them. */
  readonly clientCapabilities?: Readonly<Record<string, unknown>>;
  /** The result. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The error. */
  readonly error?: Readonly<Record<string, unknown>>;
}

/** Methods that read or call something; those about a connection are sent by every client itself. */
const repeatable: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** All calls of a capture that have an outcome. */
export function callsInCapture({ events }: ReadCapture): RecordedCall[] {
  return [...exchangesByConnection(events)].flatMap(([connection, exchanges]) => {
    const about = { connection, ...clientIn(exchanges) };
    const found = exchanges.filter(({ method, response }) => repeatable.has(method) && response !== undefined);
    const rounds = new LaterRounds(found);
    const calls: RecordedCall[] = [];
    for (const exchange of found)
      if (!rounds.taken.has(exchange)) calls.push({ ...about, ...callFrom(exchange, rounds) });
    return calls;
  });
}

/** The rounds of calls that are not their first, by call: each is taken once, in order, and none is searched for. */
class LaterRounds {
  readonly taken = new Set<RecordedExchange>();
  /** The last first. */
  readonly #byCall = new Map<string, RecordedExchange[]>();

  constructor(exchanges: readonly RecordedExchange[]) {
    for (const exchange of exchanges.toReversed()) {
      if (!isLaterRound(exchange.params)) continue;
      const key = callKey(exchange);
      const others = this.#byCall.get(key);
      if (others === undefined) this.#byCall.set(key, [exchange]);
      else others.push(exchange);
    }
  }

  /** Takes the next round, if the response asks for one. */
  takeAfter(exchange: RecordedExchange): RecordedExchange | undefined {
    this.taken.add(exchange);
    if (resultIn(exchange.response).resultType !== 'input_required') return undefined;
    const rounds = this.#byCall.get(callKey(exchange));
    let next = rounds?.pop();
    while (next !== undefined && this.taken.has(next)) next = rounds?.pop();
    return next;
  }
}

function callFrom(first: RecordedExchange, rounds: LaterRounds): Omit<RecordedCall, 'connection'> {
  const answers: RecordedAnswer[] = answersIn(first);
  let last = first;
  for (let next = rounds.takeAfter(last); next !== undefined; next = rounds.takeAfter(last)) {
    answers.push(...roundAnswers(last, next), ...answersIn(next));
    last = next;
  }
  const { _meta, ...params } = first.params;
  return { method: first.method, params, ...(answers.length > 0 && { answers }), ...outcomeIn(last.response) };
}

/** The server requests in the result of one round, with the answers that the next round sent. */
function roundAnswers({ response }: RecordedExchange, { params }: RecordedExchange): RecordedAnswer[] {
  const { inputRequests } = resultIn(response);
  const { inputResponses } = params;
  return Object.entries(isRecord(inputRequests) ? inputRequests : {}).map(([key, request]) => {
    const result = isRecord(inputResponses) ? inputResponses[key] : undefined;
    return answerOf(isRecord(request) ? request : {}, result);
  });
}

const answersIn = ({ before }: RecordedExchange): RecordedAnswer[] =>
  before.flatMap(({ message, answer }) => (answer === undefined ? [] : [answerOf(message, answer.result)]));

const answerOf = ({ method, params }: Fields, result: unknown): RecordedAnswer => ({
  method: String(method),
  params: isRecord(params) ? params : {},
  ...(isRecord(result) && { result }),
});

const resultIn = (response: Fields | undefined): Fields => (isRecord(response?.result) ? response.result : {});

function outcomeIn(response: Fields = {}): Pick<RecordedCall, 'result' | 'error'> {
  if (isRecord(response.error)) return { error: response.error };
  return isRecord(response.result) ? { result: response.result } : {};
}

const metaPrefix = 'io.modelcontextprotocol/';

/** The protocol version and capabilities in the handshake, or in the first request that stands alone. */
function clientIn(
  exchanges: readonly RecordedExchange[],
): Pick<RecordedCall, 'protocolVersion' | 'clientCapabilities'> {
  const handshake = exchanges.findLast(({ method, response }) => method === 'initialize' && response !== undefined);
  if (handshake !== undefined)
    return about(resultIn(handshake.response).protocolVersion, handshake.params.capabilities);
  for (const { params, method } of exchanges) {
    const meta = isRecord(params._meta) ? params._meta : {};
    const version = meta[`${metaPrefix}protocolVersion`];
    if (version !== undefined && repeatable.has(method)) return about(version, meta[`${metaPrefix}clientCapabilities`]);
  }
  return {};
}

const about = (version: unknown, capabilities: unknown) => ({
  ...(typeof version === 'string' && { protocolVersion: version }),
  ...(isRecord(capabilities) && { clientCapabilities: capabilities }),
});
