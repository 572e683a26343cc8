/** One end of a conversation: correlates answers with requests, times out, cancels, and counts what it drops. */
import { createDeadlines, type Deadline, type Deadlines } from './deadlines.ts';
import { type ErrorObject, RpcError, standardCodes, TenonError } from './errors.ts';
import { type Arrival, type FrameOptions, readFrame, writeFrame } from './frame.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type {
  ErrorMessage,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from './message.ts';

/** What a peer needs of its owner. */
export interface PeerPorts {
  /** Carries one frame to the other side. */
  send(frame: string): void;
  /** A request came. Its answer goes through `answer` or `refuse`, now or later. */
  request(message: RequestMessage): void;
  notification(message: NotificationMessage): void;
  /** A request of this side was given up: the place to tell the other side. */
  abandoned?(id: RequestId, method: string, reason: TenonError): void;
  /** Something arrived that is no valid message, or an error that belongs to no request. */
  fault?(error: TenonError | RpcError): void;
}

export interface PeerOptions extends FrameOptions {
  readonly deadlines?: Deadlines;
  /** Whether the other side may send batches now. */
  readonly batches?: () => boolean;
  /** Requests of this side that may wait for an answer at once. */
  readonly maxPending?: number;
  /** Requests of the other side that may wait for an answer at once. */
  readonly maxInFlight?: number;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What was dropped quietly, by why. */
export interface PeerCounts {
  /** Answers that came after their request was given up, or for the second time. */
  late: number;
  /** Answers to requests that were never made. */
  unknown: number;
  /** Frames and messages that were not valid. */
  invalid: number;
}

export interface Peer {
  readonly counts: Readonly<PeerCounts>;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  answer(id: RequestId, result: unknown): void;
  refuse(id: RequestId, error: ErrorObject): void;
  /** Forgets a request of the other side without an answer, as a cancellation asks for. */
  forget(id: RequestId): void;
  receive(frame: string): void;
  /** Settles all that waits with `connection-closed`; idempotent. */
  close(reason?: Error): void;
}

interface Pending {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
  deadline: Deadline | undefined;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
}

export function createPeer(ports: PeerPorts, options: PeerOptions = {}): Peer {
  const { deadlines = createDeadlines(), batches = () => false, maxPending = 10_000, maxInFlight = 10_000 } = options;
  const pending = new Map<RequestId, Pending>();
  const counts: PeerCounts = { late: 0, unknown: 0, invalid: 0 };
  let nextId = 1;
  let state: { is: 'open' } | { is: 'closed'; reason: TenonError } = { is: 'open' };

  const send = (message: Message | readonly Message[]): void => ports.send(writeFrame(message));
  const inbox: Inbox = createInbox(maxInFlight, send);

  function take(id: RequestId): Pending | undefined {
    const waiting = pending.get(id);
    if (waiting === undefined) return undefined;
    pending.delete(id);
    if (waiting.deadline !== undefined) deadlines.cancel(waiting.deadline);
    if (waiting.onAbort !== undefined) waiting.signal?.removeEventListener('abort', waiting.onAbort);
    return waiting;
  }

  function giveUp(id: RequestId, reason: TenonError): void {
    const waiting = take(id);
    if (waiting === undefined) return;
    waiting.reject(reason);
    ports.abandoned?.(id, waiting.method, reason);
  }

  /** Ids count up from 1, so one below the next that nobody waits for was answered or given up. */
  function takeAnswered(id: RequestId): Pending | undefined {
    const own = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
    const waiting = take(own);
    if (waiting === undefined) counts[typeof own === 'number' && own > 0 && own < nextId ? 'late' : 'unknown']++;
    return waiting;
  }

  function request(method: string, params?: unknown, { timeoutMs, signal }: RequestOptions = {}): Promise<unknown> {
    if (state.is === 'closed') return Promise.reject(state.reason);
    if (signal?.aborted) return Promise.reject(cancelled(method, signal.reason));
    if (pending.size >= maxPending) return Promise.reject(tooMany(maxPending));
    const id = nextId++;
    return new Promise((resolve, reject) => {
      const waiting: Pending = { method, resolve, reject, deadline: undefined, signal, onAbort: undefined };
      pending.set(id, waiting);
      try {
        send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params });
      } catch (error) {
        take(id);
        reject(error as Error);
        return;
      }
      if (timeoutMs !== undefined) {
        waiting.deadline = deadlines.add(timeoutMs, () => giveUp(id, timedOut(method, timeoutMs)));
      }
      if (signal !== undefined) {
        waiting.onAbort = () => giveUp(id, cancelled(method, signal.reason));
        signal.addEventListener('abort', waiting.onAbort, { once: true });
      }
    });
  }

  function settleResult({ id, result }: ResultMessage): void {
    takeAnswered(id)?.resolve(result);
  }

  function settleError({ id, error }: ErrorMessage): void {
    const failure = new RpcError(error.code, error.message, error.data);
    if (id === undefined || id === null) ports.fault?.(failure);
    else takeAnswered(id)?.reject(failure);
  }

  function arrive(arrival: Arrival): void {
    switch (arrival.kind) {
      case 'request':
        return receiveRequest(arrival.message);
      case 'notification':
        return ports.notification(arrival.message);
      case 'result':
        return settleResult(arrival.message);
      case 'error':
        return settleError(arrival.message);
      case 'fault':
        counts.invalid++;
        if (arrival.reply !== undefined) inbox.reply(arrival.reply.id, arrival.reply.error);
        return ports.fault?.(arrival.error);
    }
  }

  function receiveRequest(message: RequestMessage): void {
    const refusal = inbox.admit(message.id);
    if (refusal === undefined) return ports.request(message);
    counts.invalid++;
    ports.fault?.(refusal);
  }

  return {
    counts,
    request,
    notify(method, params) {
      if (state.is === 'closed') throw state.reason;
      send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
    },
    answer: (id, result) => inbox.settle({ jsonrpc: '2.0', id, result }),
    refuse: (id, error) => inbox.settle({ jsonrpc: '2.0', id, error }),
    forget: (id) => inbox.forget(id),
    receive(text) {
      if (state.is === 'closed') return;
      const frame = readFrame(text, options);
      if (frame.kind !== 'batch') arrive(frame);
      else if (batches()) inbox.together(() => frame.arrivals.forEach(arrive));
      else arrive(batchRefused);
    },
    close(reason) {
      if (state.is === 'closed') return;
      state = { is: 'closed', reason: closed(reason) };
      inbox.close();
      for (const id of [...pending.keys()]) take(id)?.reject(state.reason);
    },
  };
}

const batchRefused: Arrival = {
  kind: 'fault',
  error: new TenonError('invalid-message', 'A batch came, and this connection has none.'),
  reply: {
    id: undefined,
    error: { code: standardCodes['invalid-request'], message: 'Batches are not supported here' },
  },
};

const cancelled = (method: string, cause: unknown): TenonError =>
  new TenonError('cancelled', `${method} was cancelled.`, { cause, details: { method } });
const timedOut = (method: string, timeoutMs: number): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms.`, { details: { method, timeoutMs } });
const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} requests wait for an answer already.`, { hint: 'Wait for some of them.' });
const closed = (cause: unknown): TenonError =>
  new TenonError('connection-closed', 'The connection is closed.', cause === undefined ? {} : { cause });
