/** One connected instance of a server of the official SDK: calls go in, and what it sends goes to the call it belongs to. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { newestSession } from '../../protocol/revisions/revisions.ts';
import type { CallPlace, CallScope, OfficialServer, OfficialTransport } from '../types.ts';

/** The error object of a JSON-RPC message. */
export interface ReplyError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A result, or an error. */
export type Reply = { readonly result: Fields } | { readonly error: ReplyError };

/** A request that the instance sends during a call. */
export interface InstanceRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Fields;
}

/** A call at the instance, as the instance sees it. */
export interface InstanceCall {
  answered(reply: Reply): void;
  requested(request: InstanceRequest): void;
  /** The instance no longer waits for the answer. */
  withdrawn(id: string | number): void;
  notified(method: string, params: Fields): void;
  /** The instance has closed. */
  failed(error: TenonError): void;
}

/** The client that an instance knows. */
export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Fields;
}

export interface InstancePorts {
  readonly scope: CallScope | undefined;
  /** Whether calls of several clients run in it. */
  readonly isShared: boolean;
  dropped(method: string, reason: string): void;
  /** A notification that belongs to no call. */
  notified?(method: string, params: Fields): void;
  closed(): void;
}

/** The message of an official server, before its fields are checked. */
type Message = Readonly<Record<'id' | 'method' | 'params' | 'result' | 'error', unknown>>;

export class Instance {
  readonly #server: OfficialServer;
  readonly #ports: InstancePorts;
  readonly #transport: OfficialTransport;
  readonly #calls = new Map<string | number, InstanceCall>();
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
    const result = await this.ask('initialize', { protocolVersion: newestSession.id, ...introduction });
    this.notify('notifications/initialized');
    return result;
  }

  /** A request of the bridge itself, which the instance answers without asking. */
  ask(method: string, params: Fields): Promise<Fields> {
    return new Promise((resolve, reject) => {
      const refuse = ({ id }: InstanceRequest): void => this.reply(id, { error: notInThisCall(method) });
      this.send(method, params, {
        answered: (reply) => ('result' in reply ? resolve(reply.result) : reject(errorOf(method, reply.error))),
        requested: refuse,
        withdrawn: () => {},
        notified: (name, about) => this.#ports.notified?.(name, about),
        failed: reject,
      });
    });
  }

  /** Begins a call; returns its id. */
  send(method: string, params: Fields, call: InstanceCall, extra?: Fields): number {
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

  /** Aborts a call: nothing of it is received any more. */
  cancel(id: number, reason: string): void {
    if (this.#calls.delete(id) && !this.#isClosed) this.notify('notifications/cancelled', { requestId: id, reason });
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
    const call = this.#calls.get(id as number);
    if (call === undefined) return this.#ports.dropped('response', 'It answers no call that waits.');
    this.#calls.delete(id as number);
    call.answered(reply);
  }

  #requested(request: InstanceRequest, related: string | number | undefined): void {
    const { id, method } = request;
    if (method === 'ping') return this.reply(id, { result: {} });
    const call = this.#callOf(related);
    if (call !== undefined) return call.requested(request);
    this.#ports.dropped(method, 'The request belongs to no call in progress.');
    this.reply(id, {
      error: { code: -32601, message: `${method} is only answered during a call that it belongs to.` },
    });
  }

  #notified(method: string, params: Fields, related: string | number | undefined): void {
    if (method === 'notifications/cancelled') {
      for (const call of this.#calls.values()) call.withdrawn(params.requestId as string);
      return;
    }
    const token = params.progressToken;
    const call = method === 'notifications/progress' ? this.#calls.get(token as number) : this.#callOf(related);
    if (call !== undefined && !method.endsWith('/list_changed')) call.notified(method, params);
    else if (this.#ports.notified === undefined) this.#ports.dropped(method, 'It belongs to no call in progress.');
    else this.#ports.notified(method, params);
  }

  #callOf(related: string | number | undefined): InstanceCall | undefined {
    const { scope, isShared } = this.#ports;
    return attribute({ instance: this, calls: this.#calls, related, scope, isShared });
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.failed(instanceClosed());
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

const notInThisCall = (method: string): ReplyError => ({
  code: -32601,
  message: `No client waits: the bridge itself sent ${method}.`,
});

const errorOf = (method: string, { code, message }: ReplyError): TenonError =>
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
  if (place !== undefined) return place.instance === instance ? calls.get(place.id) : undefined;
  const [only, another] = calls.values();
  return isShared || another !== undefined ? undefined : only;
}
