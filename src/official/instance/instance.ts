/** One connected instance of a server of the official SDK: calls go in, and what it sends goes to the call it belongs to. */
import type { RemoteCall, RemoteRequest, RemoteServer, Reply, ReplyError } from '../../forwarding/remote-call.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { newestSession } from '../../protocol/revisions/revisions.ts';
import type { CallPlace, CallScope, OfficialServer, OfficialTransport } from '../types.ts';

/** The client that an instance knows. */
export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Fields;
}

/** Gets what an instance sends outside the calls of its clients. */
export interface OutsideCalls {
  requested(request: RemoteRequest): void;
  withdrawn(id: string | number): void;
  notified(method: string, params: Fields): void;
}

export interface InstancePorts {
  readonly scope: CallScope | undefined;
  readonly deadlines: Deadlines;
  /** Whether calls of several clients run in it. */
  readonly isShared: boolean;
  readonly outside: OutsideCalls;
  dropped(method: string, reason: string): void;
  closed(): void;
}

/** How long a handler that was cancelled may have returned without being noticed. */
const longestLookMs = 1000;

/** Whether it is about the server itself, and not about the call during which it is sent. */
export const isServerChange = (method: string): boolean =>
  method.endsWith('/list_changed') || method === 'notifications/resources/updated';

/** The message of an official server, before its fields are checked. */
type Message = Readonly<Record<'id' | 'method' | 'params' | 'result' | 'error', unknown>>;

export class Instance implements RemoteServer {
  readonly #server: OfficialServer;
  readonly #ports: InstancePorts;
  readonly #transport: OfficialTransport;
  /** Calls of clients. */
  readonly #calls = new Map<string | number, RemoteCall>();
  /** Requests of the bridge itself. */
  readonly #own = new Map<string | number, (reply: Reply | TenonError) => void>();
  #nextId = 0;
  #isConnected = false;
  #isClosed = false;

  constructor(server: OfficialServer, ports: InstancePorts) {
    this.#server = server;
    this.#ports = ports;
    this.#transport = {
      sessionId: crypto.randomUUID(),
      start: async () => {},
      close: async () => this.#closed(),
      send: async (message: Message, options?: { readonly relatedRequestId?: string | number }) =>
        this.#receive(message, options?.relatedRequestId),
    };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Connects, and resolves with the answer to `initialize`. */
  async open(introduction: Introduction): Promise<Fields> {
    await this.#server.connect(this.#transport);
    this.#isConnected = true;
    const params = { protocolVersion: newestSession.id, ...introduction };
    const reply = await this.ask('initialize', params);
    if ('error' in reply) throw errorOf('initialize', reply.error);
    this.notify('notifications/initialized');
    return reply.result;
  }

  /** A request of the bridge itself. Resolves with the answer, rejects if the instance closes. */
  ask(method: string, params: Fields): Promise<Reply> {
    const id = ++this.#nextId;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(instanceClosed());
      this.#own.set(id, (reply) => (reply instanceof TenonError ? reject(reply) : resolve(reply)));
      this.#transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Begins a call; returns its id. */
  send(method: string, params: Fields, call: RemoteCall, extra?: Fields): number {
    const id = ++this.#nextId;
    if (!this.#isClosed) this.#calls.set(id, call);
    if (this.#isClosed) call.failed(instanceClosed());
    else this.#deliver(id, { jsonrpc: '2.0', id, method, params: withToken(params, id) }, extra);
    return id;
  }

  notify(method: string, params?: Fields): void {
    this.#transport.onmessage?.({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) });
  }

  /** Answers a request of the instance. */
  reply(id: string | number, reply: Reply): void {
    if (!this.#isClosed) this.#transport.onmessage?.({ jsonrpc: '2.0', id, ...reply });
  }

  /** Aborts a call: nothing of it is received any more. Resolves when its handler has returned. */
  async cancel(id: number, reason: string): Promise<void> {
    if (!this.#calls.delete(id) || this.#isClosed) return;
    this.notify('notifications/cancelled', { requestId: id, reason });
    for (let ms = 1; this.#runsHandler(id); ms = Math.min(ms * 2, longestLookMs))
      await new Promise<void>((resolve) => void this.#ports.deadlines.add(ms, resolve, false));
  }

  /**
   * The SDK answers no call that was cancelled, and handlers often go on. What it knows of them is private: a version that
   * stores it elsewhere counts them as returned.
   */
  #runsHandler(id: number): boolean {
    const { server = this.#server } = this.#server as { readonly server?: unknown };
    const running = isRecord(server) ? server._requestHandlerAbortControllers : undefined;
    return !this.#isClosed && running instanceof Map && running.has(id);
  }

  /** A server that is connected elsewhere stays so. */
  close(): void {
    if (!this.#isConnected) return;
    // A server may throw while it closes, or close itself again.
    Promise.resolve()
      .then(() => this.#server.close())
      .catch(() => this.#ports.dropped('close', 'The server threw while it closed.'))
      .finally(() => this.#closed());
  }

  #deliver(id: number, message: Fields, extra?: Fields): void {
    const { scope } = this.#ports;
    const receive = (): void => this.#transport.onmessage?.(message, extra);
    if (scope === undefined) receive();
    else scope.run({ instance: this, id }, receive);
  }

  #receive({ id, method, params, result, error }: Message, related: string | number | undefined): void {
    if (this.#isClosed) return;
    const about = isRecord(params) ? params : {};
    if (typeof method !== 'string')
      this.#answered(id, isRecord(error) ? { error: readError(error) } : resultOf(result));
    else if (typeof id === 'string' || typeof id === 'number') this.#requested({ id, method, params: about }, related);
    else this.#notified(method, about, related);
  }

  #answered(id: unknown, reply: Reply): void {
    const own = this.#own.get(id as number);
    if (own !== undefined) {
      this.#own.delete(id as number);
      return own(reply);
    }
    const call = this.#calls.get(id as number);
    if (call === undefined) return this.#ports.dropped('response', 'It answers no call that waits.');
    this.#calls.delete(id as number);
    call.answered(reply);
  }

  #requested(request: RemoteRequest, related: string | number | undefined): void {
    const { id, method } = request;
    if (method === 'ping') return this.reply(id, { result: {} });
    const call = this.#callOf(related);
    if (call === undefined) this.#ports.outside.requested(request);
    else call.requested(request);
  }

  #notified(method: string, params: Fields, related: string | number | undefined): void {
    if (method === 'notifications/cancelled') {
      const id = params.requestId as string;
      for (const call of this.#calls.values()) call.withdrawn(id);
      return this.#ports.outside.withdrawn(id);
    }
    if (isServerChange(method)) return this.#ports.outside.notified(method, params);
    const token = params.progressToken;
    const call = method === 'notifications/progress' ? this.#calls.get(token as number) : this.#callOf(related);
    if (call === undefined) this.#ports.outside.notified(method, params);
    else call.notified(method, params);
  }

  #callOf(related: string | number | undefined): RemoteCall | undefined {
    const { scope, isShared } = this.#ports;
    return attribute({ instance: this, calls: this.#calls, related, scope, isShared });
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.failed(instanceClosed());
    for (const own of this.#own.values()) own(instanceClosed());
    this.#own.clear();
    this.#ports.closed();
    this.#transport.onclose?.();
  }
}

/** The token is the id of the call, where the client wants progress. */
const withToken = (params: Fields, id: number): Fields =>
  isRecord(params._meta) && 'progressToken' in params._meta
    ? { ...params, _meta: { ...params._meta, progressToken: id } }
    : params;

const resultOf = (result: unknown): Reply => ({ result: isRecord(result) ? result : {} });

const readError = ({ code, message, data }: Fields): ReplyError => ({
  code: typeof code === 'number' ? code : -32603,
  message: typeof message === 'string' ? message : 'Internal error',
  ...(data !== undefined && { data }),
});

/** An error that ends what the bridge itself does. */
export const errorOf = (method: string, { code, message }: ReplyError): TenonError =>
  new TenonError('instance-failed', `The server answered ${method} with an error: ${message}`, { details: { code } });

const instanceClosed = (): TenonError =>
  new TenonError('instance-failed', 'The server behind the bridge closed its connection during the call.');

interface Attribution<Call> {
  readonly instance: object;
  /** The calls in progress, by the id of their requests. */
  readonly calls: ReadonlyMap<string | number, Call>;
  /** The request that the message names itself. */
  readonly related: string | number | undefined;
  readonly scope: CallScope | undefined;
  /** Whether calls of several clients run in the instance. */
  readonly isShared: boolean;
}

/**
 * By the request that the message names, else by the running code. Without either, the only call in progress: its client
 * is the only one of the instance. A call that has ended gets nothing.
 */
function attribute<Call>({ instance, calls, related, scope, isShared }: Attribution<Call>): Call | undefined {
  if (related !== undefined) return calls.get(related);
  const place: CallPlace | undefined = scope?.current();
  if (place?.instance === instance) return calls.get(place.id);
  const [only, another] = calls.values();
  return isShared || another !== undefined || place !== undefined ? undefined : only;
}
