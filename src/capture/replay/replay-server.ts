/** Replays a capture as a server: each request of a client gets what the recorded server sent for it. */
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { Transport } from '../../transport/transport.ts';
import type { ReadCapture } from '../read-capture.ts';
import { checkFaults, Faults, type ReplayFault } from './faults.ts';
import { isRecorded } from './matching.ts';
import { connectionsIn, exchangesIn, type RecordedExchange, tokenOf } from './recorded-exchanges.ts';

/** The options of `replayServer`. */
export interface ReplayOptions {
  /**
   * `match` (default) finds the recorded request by method, name and arguments, in any order and any number of times;
   * `exact` wants the recorded requests in their order, each once.
   */
  readonly mode?: 'match' | 'exact';
  /** Faults to inject. */
  readonly faults?: readonly ReplayFault[];
  /** Called with each request that the capture does not have. */
  readonly onUnknown?: (method: string) => void;
}

/** A capture as a server: pass it to `connect`, or serve a transport with it. */
export interface ReplayServer {
  /** Serves one client. The first gets the first recorded connection, the next one the next; the last is repeated. */
  accept(transport: Transport): void;
}

/**
 * Replays a capture as a server.
 *
 * ```ts
 * const client = await connect(replayServer(readCapture(text)));
 * ```
 */
export function replayServer({ events }: ReadCapture, options: ReplayOptions = {}): ReplayServer {
  const faults = new Faults(checkFaults(options.faults ?? []));
  const connections = connectionsIn(events);
  let accepted = 0;
  return {
    accept(transport) {
      const connection = connections[Math.min(accepted++, connections.length - 1)] ?? 1;
      const replay = new Replay(exchangesIn(events, connection), options, faults, transport);
      transport.open({ onMessage: (text) => replay.receive(text), onClose: () => replay.close() });
    },
  };
}

class Replay {
  readonly #exchanges: readonly RecordedExchange[];
  readonly #options: ReplayOptions;
  readonly #faults: Faults;
  readonly #transport: Transport;
  readonly #used = new Set<RecordedExchange>();
  readonly #waiting = new Map<string, () => void>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(exchanges: readonly RecordedExchange[], options: ReplayOptions, faults: Faults, transport: Transport) {
    this.#exchanges = exchanges;
    this.#options = options;
    this.#faults = faults;
    this.#transport = transport;
  }

  receive(text: string): void {
    for (const message of [parsed(text)].flat()) {
      if (!isRecord(message)) continue;
      if (message.method === undefined) this.#answered(message);
      else if (message.id !== undefined) void this.#respond(message);
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const go of this.#waiting.values()) go();
    this.#waiting.clear();
  }

  async #respond(request: Fields): Promise<void> {
    const method = String(request.method);
    const fault = this.#faults.of(method);
    if (fault?.do === 'delay') await this.#wait(fault.ms ?? 1000);
    if (fault?.do === 'cut') return this.#transport.close();
    if (fault?.do === 'error') return this.#send(errorFor(request, 'A fault of the replay'));
    const exchange = this.#find(request);
    if (exchange === undefined) return this.#unknown(request, method);
    this.#used.add(exchange);
    for (const message of exchange.before) await this.#sendFor(message, exchange, request);
    if (exchange.response === undefined || fault?.do === 'drop') return;
    this.#sendResponse({ ...exchange.response, id: request.id }, fault);
    for (const message of exchange.after) this.#send(message);
  }

  #find(request: Fields): RecordedExchange | undefined {
    const unused = this.#exchanges.filter((one) => !this.#used.has(one));
    if (this.#options.mode === 'exact') return unused.slice(0, 1).find((one) => isRecorded(one, request));
    return (
      unused.find((one) => isRecorded(one, request)) ?? this.#exchanges.findLast((one) => isRecorded(one, request))
    );
  }

  #unknown(request: Fields, method: string): void {
    this.#options.onUnknown?.(method);
    this.#send(errorFor(request, `The capture has no such ${method}`));
  }

  /** Requests of the server wait for their answers, whatever these are. */
  async #sendFor(message: Fields, exchange: RecordedExchange, request: Fields): Promise<void> {
    const params = isRecord(message.params) ? message.params : {};
    const progressToken = isRecord(request.params) ? tokenOf(request.params) : undefined;
    if (params.progressToken !== undefined && params.progressToken === tokenOf(exchange.params)) {
      if (progressToken !== undefined) this.#send({ ...message, params: { ...params, progressToken } });
      return;
    }
    this.#send(message);
    if (message.id === undefined) return;
    await new Promise<void>((resolve) => this.#waiting.set(JSON.stringify(message.id), resolve));
  }

  #answered({ id }: Fields): void {
    this.#waiting.get(JSON.stringify(id))?.();
    this.#waiting.delete(JSON.stringify(id));
  }

  #sendResponse(response: Fields, fault: ReplayFault | undefined): void {
    if (fault?.do === 'tear') {
      const text = JSON.stringify(response);
      this.#transport.send(text.slice(0, text.length / 2));
      return this.#transport.close();
    }
    this.#send(response);
    if (fault?.do === 'double') this.#send(response);
  }

  #send(message: Fields): void {
    if (this.#transport.state === 'open') this.#transport.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }
}

const errorFor = ({ id }: Fields, message: string): Fields => ({ id, error: { code: -32603, message } });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
