/** The HTTP port on undici: connections are kept, proxies of the environment are used. */
import type { Dispatcher } from 'undici';
import type { HttpPort, HttpReceiver, HttpRequest, HttpSent } from '../../client/http/port/port.ts';
import { Lease } from './dispatchers.ts';
import { proxiesOf, proxyFailure } from './proxies.ts';
import { type Goer, Turns } from './request-slots.ts';

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

const noProxies: readonly URL[] = [];

export const createNodePort = (options: HttpPortOptions = {}): HttpPort => new NodePort(options);

/** The connections are those of the process: what one client has of them is counted by its requests, one to each. */
class NodePort implements HttpPort {
  readonly #ca: HttpPortOptions['ca'];
  readonly #connectTimeoutMs: number;
  readonly #maxConnections: number;
  readonly #proxies: readonly URL[];
  /** Nearly all go to one origin, for whose lease no map is needed. */
  #origin: string | undefined;
  #lease: Lease | undefined;
  #others: Map<string, Lease> | undefined;
  #turns: Turns | undefined;
  #briefTurns: Turns | undefined;
  #streamTurns: Turns | undefined;
  #isClosed = false;

  constructor({ ca, maxConnections = 256, connectTimeoutMs = 10_000 }: HttpPortOptions) {
    const proxies = proxiesOf(process.env);
    this.#ca = ca;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#maxConnections = maxConnections;
    this.#proxies = proxies.length === 0 ? noProxies : proxies;
  }

  request(sent: HttpSent, receiver: HttpReceiver): HttpRequest {
    const { dispatcher } = this.#leaseFor(sent.address.origin);
    const request = new NodeRequest(dispatcher, sent, receiver, this.#proxies, this.#turnsFor(sent));
    request.start();
    return request;
  }

  #turnsFor({ isBrief, isStream }: HttpSent): Turns {
    if (isBrief) return (this.#briefTurns ??= new Turns(briefConnections));
    if (isStream) return (this.#streamTurns ??= new Turns(streamConnections));
    return (this.#turns ??= new Turns(this.#maxConnections));
  }

  #leaseFor(origin: string): Lease {
    const lease = (origin === this.#origin ? this.#lease : this.#others?.get(origin)) ?? this.#take(origin);
    // Nobody would give it back any more: what comes too late fails.
    if (this.#isClosed) void lease.release();
    return lease;
  }

  #take(origin: string): Lease {
    const lease = new Lease({
      origin,
      ca: this.#ca,
      connectTimeoutMs: this.#connectTimeoutMs,
      proxies: this.#proxies,
    });
    if (this.#lease === undefined) {
      this.#origin = origin;
      this.#lease = lease;
    } else {
      this.#others ??= new Map();
      this.#others.set(origin, lease);
    }
    return lease;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const leases = [this.#lease, ...(this.#others?.values() ?? [])];
    await Promise.all(leases.map((lease) => lease?.release()));
  }
}

/** One request on its way. */
class NodeRequest implements Dispatcher.DispatchHandler, Goer, HttpRequest {
  readonly #dispatcher: Dispatcher;
  readonly #sent: HttpSent;
  readonly #receiver: HttpReceiver;
  readonly #proxies: readonly URL[];
  readonly #turns: Turns;
  #controller: Dispatcher.DispatchController | undefined;
  /** What was given up keeps its place until undici is done with it: a connection may still be in the making. */
  #state: 'waiting' | 'gone' | 'given-up' | 'over' = 'waiting';

  constructor(dispatcher: Dispatcher, sent: HttpSent, receiver: HttpReceiver, proxies: readonly URL[], turns: Turns) {
    this.#dispatcher = dispatcher;
    this.#sent = sent;
    this.#receiver = receiver;
    this.#proxies = proxies;
    this.#turns = turns;
  }

  start(): void {
    this.#turns.take(this);
  }

  go(): void {
    if (this.#state === 'over') return this.#turns.done();
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
    if (before === 'gone' || before === 'given-up') this.#turns.done();
    return before === 'gone';
  }

  abort(): void {
    if (this.#state === 'waiting') {
      this.#state = 'over';
      this.#turns.leave(this);
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
