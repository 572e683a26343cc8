/** The HTTP port on undici: connections are kept, proxies of the environment are used. */
import type { Dispatcher } from 'undici';
import type { AbortRequest, HttpPort, HttpReceiver, HttpSent } from '../client/http/port.ts';
import { type Lease, leaseDispatcher } from './dispatchers.ts';
import { proxiesOf, proxyFailure } from './proxies.ts';
import { type Goer, Turns } from './turns.ts';

export interface HttpPortOptions {
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca?: string | readonly string[];
  /** Connections to the server at once; requests beyond that wait. Streams of events have connections of their own, and so has what those wait for. Default 256. */
  readonly maxConnections?: number;
  /** How long a connection may take to come about. Default 10 s. */
  readonly connectTimeoutMs?: number;
}

/** Connections beside the others, for what ends the use of those. */
const briefConnections = 8;

/** Connections for streams that stay open, which would else keep calls waiting for as long as they are read. */
const streamConnections = 256;

export function createNodePort(options: HttpPortOptions = {}): HttpPort {
  const { ca, maxConnections = 256, connectTimeoutMs = 10_000 } = options;
  const proxies = proxiesOf(process.env);
  const leases = new Map<string, Lease>();
  let isClosed = false;
  const dispatcherFor = (origin: string): Dispatcher => {
    const lease = leases.get(origin) ?? leaseDispatcher({ origin, ca, connectTimeoutMs, proxies });
    leases.set(origin, lease);
    // Nobody would give it back any more: what comes too late fails.
    if (isClosed) void lease.release();
    return lease.dispatcher;
  };
  // The connections are those of the process: what one client has of them is counted by its requests, one to each.
  const turns = new Turns(maxConnections);
  const briefTurns = new Turns(briefConnections);
  const streamTurns = new Turns(streamConnections);
  return {
    request(sent, receiver) {
      const request = new NodeRequest(dispatcherFor(sent.address.origin), sent, receiver, proxies);
      return request.start(sent.isBrief ? briefTurns : sent.isStream ? streamTurns : turns);
    },
    async close() {
      isClosed = true;
      await Promise.all([...leases.values()].map((lease) => lease.release()));
    },
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
  /** What was given up keeps its place until undici is done with it: a connection may still be in the making. */
  #state: 'waiting' | 'gone' | 'given-up' | 'over' = 'waiting';

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
    if (this.#state === 'over') return this.#turns?.done();
    const { method, address, headers, body = null } = this.#sent;
    this.#state = 'gone';
    try {
      this.#dispatcher.dispatch({ origin: address.origin, path: address.path, method, headers, body }, this);
    } catch (error) {
      queueMicrotask(() => this.#broke(error));
    }
  }

  /** Says whether somebody still hears. */
  #end(): boolean {
    const before = this.#state;
    this.#state = 'over';
    if (before === 'gone' || before === 'given-up') this.#turns?.done();
    return before === 'gone';
  }

  #abort(): void {
    if (this.#state === 'waiting') {
      this.#state = 'over';
      this.#turns?.leave(this);
    } else if (this.#state === 'gone') {
      this.#state = 'given-up';
      this.#controller?.abort(new Error('given up'));
    }
  }

  #broke(error: unknown): void {
    if (this.#end()) this.#receiver.broke(this.#proxies.length === 0 ? error : proxyFailure(this.#proxies, error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'given-up') controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#state === 'gone' && status >= 200) this.#receiver.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'gone') this.#receiver.chunk(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#broke(error);
  }
}
