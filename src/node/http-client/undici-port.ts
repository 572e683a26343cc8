/** The client's HTTP port on undici: connections are reused, and proxies of the environment are used. */

import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import type { HttpPort, HttpReceiver, HttpRequest, HttpSent } from '../../client/http/port/port.ts';
import { withDefaults } from '../../lib/options/read-options.ts';
import { Lease } from './dispatchers.ts';
import { nodeFetch } from './node-fetch.ts';
import { httpPortOptions } from './port-options.table.ts';
import type { HttpPortOptions } from './port-options.ts';
import { proxiesOf, proxyFailure } from './proxies.ts';
import { type QueuedRequest, RequestSlots } from './request-slots.ts';

/** Extra connections for short requests that let others finish, such as cancellations. */
const briefConnections = 8;

/** Extra connections for streams that stay open, which would otherwise block calls for as long as they are read. */
const streamConnections = 256;

const noProxies: readonly URL[] = [];

export const createNodePort = (undici: typeof Undici, options: HttpPortOptions = {}): HttpPort =>
  new NodePort(undici, options);

/** Connections are shared by the process; a client's share is limited by its number of requests, one connection each. */
class NodePort implements HttpPort {
  readonly #undici: typeof Undici;
  readonly #ca: HttpPortOptions['ca'];
  readonly #connectTimeoutMs: number;
  readonly #maxConnections: number;
  readonly #proxies: readonly URL[];
  /** Nearly all requests go to one origin, whose lease needs no map. */
  #origin: string | undefined;
  #lease: Lease | undefined;
  #others: Map<string, Lease> | undefined;
  #slots: RequestSlots | undefined;
  #briefSlots: RequestSlots | undefined;
  #streamSlots: RequestSlots | undefined;
  #isClosed = false;

  constructor(undici: typeof Undici, options: HttpPortOptions) {
    this.#undici = undici;
    const { ca, maxConnections, connectTimeoutMs } = withDefaults(httpPortOptions, options);
    const proxies = proxiesOf(process.env);
    this.#ca = ca;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#maxConnections = maxConnections;
    this.#proxies = proxies.length === 0 ? noProxies : proxies;
  }

  request(sent: HttpSent, receiver: HttpReceiver): HttpRequest {
    const { dispatcher } = this.#leaseFor(sent.address.origin);
    const request = new NodeRequest(dispatcher, sent, receiver, this.#proxies, this.#slotsFor(sent));
    request.start();
    return request;
  }

  get fetch(): typeof fetch | undefined {
    if (this.#ca === undefined && this.#proxies.length === 0) return undefined;
    return nodeFetch(this.#undici, { ca: this.#ca, connectTimeoutMs: this.#connectTimeoutMs, proxies: this.#proxies });
  }

  #slotsFor({ isBrief, isStream }: HttpSent): RequestSlots {
    if (isBrief) return (this.#briefSlots ??= new RequestSlots(briefConnections));
    if (isStream) return (this.#streamSlots ??= new RequestSlots(streamConnections));
    return (this.#slots ??= new RequestSlots(this.#maxConnections));
  }

  #leaseFor(origin: string): Lease {
    const lease = (origin === this.#origin ? this.#lease : this.#others?.get(origin)) ?? this.#openLease(origin);
    // After `close` it would not be released: the request fails.
    if (this.#isClosed) void lease.release();
    return lease;
  }

  #openLease(origin: string): Lease {
    const lease = new Lease(this.#undici, {
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

/** One request in progress. */
class NodeRequest implements Dispatcher.DispatchHandler, QueuedRequest, HttpRequest {
  readonly #dispatcher: Dispatcher;
  readonly #sent: HttpSent;
  readonly #receiver: HttpReceiver;
  readonly #proxies: readonly URL[];
  readonly #slots: RequestSlots;
  #controller: Dispatcher.DispatchController | undefined;
  /** An aborted request holds its slot until undici is done with it: a connection may still be opening. */
  #state: 'waiting' | 'sent' | 'aborted' | 'closed' = 'waiting';

  constructor(
    dispatcher: Dispatcher,
    sent: HttpSent,
    receiver: HttpReceiver,
    proxies: readonly URL[],
    slots: RequestSlots,
  ) {
    this.#dispatcher = dispatcher;
    this.#sent = sent;
    this.#receiver = receiver;
    this.#proxies = proxies;
    this.#slots = slots;
  }

  start(): void {
    this.#slots.acquire(this);
  }

  send(): void {
    if (this.#state === 'closed') return this.#slots.release();
    const { method, address, headers, body = null } = this.#sent;
    this.#state = 'sent';
    try {
      this.#dispatcher.dispatch({ origin: address.origin, path: address.path, method, headers, body }, this);
    } catch (error) {
      queueMicrotask(() => this.#fail(error));
    }
  }

  /** Returns whether the receiver still waits for the response. */
  #end(): boolean {
    const before = this.#state;
    this.#state = 'closed';
    if (before === 'sent' || before === 'aborted') this.#slots.release();
    return before === 'sent';
  }

  abort(): void {
    if (this.#state === 'waiting') {
      this.#state = 'closed';
      this.#slots.cancel(this);
    } else if (this.#state === 'sent') {
      this.#state = 'aborted';
      this.#controller?.abort(new Error('aborted'));
    }
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#receiver.broke(this.#proxies.length === 0 ? error : proxyFailure(this.#proxies, error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'aborted') controller.abort(new Error('aborted'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#state === 'sent' && status >= 200) this.#receiver.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'sent') this.#receiver.chunk(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}
