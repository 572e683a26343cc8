/** Answers the requests of one client by a recording, whatever carries the messages. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { HttpPeer, RequestOutput } from '../http/peer.ts';
import type { Fault, Faults } from './faults.ts';
import { isRecorded } from './matching.ts';
import { type RecordedExchange, type RecordedMessage, tokenOf } from './recorded-exchanges.ts';
import type { Recording } from './recording.ts';

export interface ReplaySettings {
  readonly isExact: boolean;
  readonly faults: Faults;
  readonly onUnknown: (method: string) => void;
}

export class Replay implements HttpPeer {
  readonly #recording: Recording;
  readonly #settings: ReplaySettings;
  readonly #used = new Set<RecordedExchange>();
  /** Messages of open streams that wait for the exchange that they followed. */
  readonly #following = new Map<RecordedExchange, (() => void)[]>();
  /** Requests of the server that wait for the client. */
  readonly #waiting = new Map<string, () => void>();
  readonly #timers = new Map<ReturnType<typeof setTimeout>, () => void>();
  #exchanges: readonly RecordedExchange[];
  #copies = 0;
  #isClosed = false;

  /** The number of the client chooses among the connections of the recording. */
  constructor(recording: Recording, settings: ReplaySettings, client: number) {
    this.#recording = recording;
    this.#settings = settings;
    this.#exchanges = settings.isExact ? recording.connection(client) : recording.standAlone(client);
  }

  receive(message: Fields, output: RequestOutput): void {
    if (message.method === undefined) this.#answered(message);
    else if (message.id !== undefined) void this.#respond(message, output);
  }

  close(): void {
    this.#isClosed = true;
    for (const [timer, go] of this.#timers) {
      clearTimeout(timer);
      go();
    }
    for (const go of [...this.#waiting.values(), ...[...this.#following.values()].flat()]) go();
    this.#waiting.clear();
    this.#following.clear();
  }

  async #respond(request: Fields, output: RequestOutput): Promise<void> {
    const method = String(request.method);
    if (method === 'initialize' && !this.#settings.isExact) this.#beginSession(request);
    const fault = this.#settings.faults.of(method);
    if (fault?.do === 'delay') await this.#wait(fault.ms);
    if (fault?.do === 'cut') return output.break('');
    if (fault?.do === 'error') return this.#end(output, errorFor(request, -32603, 'A fault of the replay'));
    const exchange = this.#find(request);
    if (exchange === undefined) return this.#unknown(request, method, output);
    this.#used.add(exchange);
    for (const sent of exchange.before) await this.#sendFor(sent, exchange, request, output);
    if (exchange.response === undefined || isStream(exchange) || fault?.do === 'drop' || this.#isClosed) return;
    this.#sendResponse({ ...exchange.response, id: request.id }, fault, output);
    for (const message of exchange.after) output.notify(message);
    for (const go of this.#following.get(exchange) ?? []) go();
    this.#following.delete(exchange);
  }

  #beginSession({ params }: Fields): void {
    const version = isRecord(params) ? params.protocolVersion : undefined;
    this.#exchanges = [...this.#recording.session(version), ...this.#recording.standAlone()];
  }

  #find(request: Fields): RecordedExchange | undefined {
    const unused = this.#exchanges.filter((one) => !this.#used.has(one));
    if (this.#settings.isExact) return unused.slice(0, 1).find((one) => isRecorded(one, request));
    return (
      unused.find((one) => isRecorded(one, request)) ?? this.#exchanges.findLast((one) => isRecorded(one, request))
    );
  }

  /** A method that was never called counts as one that the server does not have: clients then try an older version. */
  #unknown(request: Fields, method: string, output: RequestOutput): void {
    this.#settings.onUnknown(method);
    const code = this.#exchanges.some((one) => one.method === method) ? -32602 : -32601;
    this.#end(output, errorFor(request, code, `The capture has no such ${method}`));
  }

  /** Requests of the server wait for their answers, whatever these are. */
  async #sendFor(sent: RecordedMessage, exchange: RecordedExchange, request: Fields, output: RequestOutput) {
    const { message, following } = sent;
    if (isStream(exchange) && following !== undefined) await this.#whenReplayed(following);
    if (this.#isClosed || endsStream(message, exchange)) return;
    const fitted = forRequest(message, exchange, request);
    if (fitted === undefined) return;
    if (message.id === undefined) return output.send(fitted);
    // The same exchange may be replayed twice at once.
    const id = this.#waiting.has(JSON.stringify(message.id)) ? `copy ${++this.#copies}` : message.id;
    const answered = new Promise<void>((resolve) => this.#waiting.set(JSON.stringify(id), resolve));
    output.send({ ...fitted, id });
    await answered;
  }

  /** Messages of a subscription are sent after the exchange that they followed. */
  #whenReplayed(exchange: RecordedExchange): Promise<void> | void {
    if (this.#used.has(exchange) || this.#settings.isExact) return;
    return new Promise((resolve) => {
      const waiting = this.#following.get(exchange);
      if (waiting === undefined) this.#following.set(exchange, [resolve]);
      else waiting.push(resolve);
    });
  }

  #answered({ id }: Fields): void {
    this.#waiting.get(JSON.stringify(id))?.();
    this.#waiting.delete(JSON.stringify(id));
  }

  #sendResponse(response: Fields, fault: Fault | undefined, output: RequestOutput): void {
    if (fault?.do === 'tear') {
      const text = JSON.stringify({ jsonrpc: '2.0', ...response });
      return output.break(text.slice(0, text.length / 2));
    }
    if (fault?.do === 'double') output.send(response);
    this.#end(output, response);
  }

  #end(output: RequestOutput, response: Fields): void {
    output.send(response);
    output.end();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.set(timer, resolve);
    });
  }
}

/** A subscription is open until the client closes it, though the recorded one ended with its server. */
const isStream = ({ method, response }: RecordedExchange): boolean =>
  method === 'subscriptions/listen' || response === undefined;

const endsStream = ({ method, params }: Fields, exchange: RecordedExchange): boolean =>
  method === 'notifications/cancelled' && isRecord(params) && isStream(exchange) && params.requestId === exchange.id;

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** The message with the token and the id of this request; none if it reports progress that is not asked for. */
function forRequest(message: Fields, exchange: RecordedExchange, request: Fields): Fields | undefined {
  const params = isRecord(message.params) ? message.params : {};
  if (params.progressToken !== undefined && params.progressToken === tokenOf(exchange.params)) {
    const progressToken = isRecord(request.params) ? tokenOf(request.params) : undefined;
    return progressToken === undefined ? undefined : { ...message, params: { ...params, progressToken } };
  }
  const meta = isRecord(params._meta) ? params._meta : {};
  if (meta[subscriptionKey] !== exchange.id || exchange.id === undefined) return message;
  return { ...message, params: { ...params, _meta: { ...meta, [subscriptionKey]: request.id } } };
}

const errorFor = ({ id }: Fields, code: number, message: string): Fields => ({ id, error: { code, message } });
