/** The HTTP port on undici: connections are kept, proxies of the environment are used. */
import type { Dispatcher } from 'undici';
import type { AbortRequest, HttpPort, HttpReceiver, HttpSent } from '../client/http/port.ts';
import { leaseDispatcher } from './dispatchers.ts';
import { proxiesOf, proxyFailure } from './proxies.ts';
import { type Goer, Turns } from './turns.ts';

export interface HttpPortOptions {
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca?: string | readonly string[];
  /** Connections to the server at once; requests beyond that wait. A few more carry what those wait for. Default 256. */
  readonly maxConnections?: number;
  /** How long a connection may take to come about. Default 10 s. */
  readonly connectTimeoutMs?: number;
}

/** Connections beside the others, for what ends the use of those. */
const briefConnections = 8;

export function createNodePort(options: HttpPortOptions = {}): HttpPort {
  const { ca, maxConnections = 256, connectTimeoutMs = 10_000 } = options;
  const proxies = proxiesOf(process.env);
  const { dispatcher, release } = leaseDispatcher({ ca, connectTimeoutMs, proxies });
  // The connections are those of the process: what one client has of them is counted by its requests, one to each.
  const turns = new Turns(maxConnections);
  const briefTurns = new Turns(briefConnections);
  return {
    request(sent, receiver) {
      return new NodeRequest(dispatcher, sent, receiver, proxies).start(sent.isBrief ? briefTurns : turns);
    },
    close: release,
  };
}

/** One request on its way. */
class NodeRequest implements Dispatcher.DispatchHandler, Goer {
  readonly #dispatcher: Dispatcher;
  readonly #sent: HttpSent;
  readonly #receiver: HttpReceiver;
  readonly #proxies: readonly URL[];
  #turns: Turns | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #state: 'waiting' | 'gone' | 'over' = 'waiting';

  constructor(dispatcher: Dispatcher, sent: HttpSent, receiver: HttpReceiver, proxies: readonly URL[]) {
    this.#dispatcher = dispatcher;
    this.#sent = sent;
    this.#receiver = receiver;
    this.#proxies = proxies;
  }

  start(turns: Turns): AbortRequest {
    this.#turns = turns;
    turns.take(this);
    return () => this.#abort();
  }

  go(): void {
    const { method, address, headers, body = null } = this.#sent;
    this.#state = 'gone';
    try {
      this.#dispatcher.dispatch({ origin: address.origin, path: address.path, method, headers, body }, this);
    } catch (error) {
      queueMicrotask(() => this.#broke(error));
    }
  }

  /** Says whether it was not over before. */
  #end(): boolean {
    const before = this.#state;
    this.#state = 'over';
    if (before === 'waiting') this.#turns?.leave(this);
    else if (before === 'gone') this.#turns?.done();
    return before !== 'over';
  }

  #abort(): void {
    if (this.#end()) this.#controller?.abort(new Error('given up'));
  }

  #broke(error: unknown): void {
    if (this.#end()) this.#receiver.broke(this.#proxies.length === 0 ? error : proxyFailure(this.#proxies, error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'over') controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#state !== 'over' && status >= 200) this.#receiver.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== 'over') this.#receiver.chunk(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#broke(error);
  }
}
