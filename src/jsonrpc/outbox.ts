/** Requests that this side has sent and that wait for their answer: each is settled exactly once. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../lib/time/abort-listeners.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { IdTable } from './id-table.ts';
import type { RequestId, RequestMessage } from './message.ts';
import { createPending, type Pending, PendingTimeouts, type TimeoutListener } from './pending.ts';

/** The options of one request. */
export interface RequestOptions {
  /** Fails the request with `timeout` after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Called with the id of the request just before it is sent. */
  readonly sent?: (id: RequestId) => void;
}

/** Called when a request no longer waits; `isAbandoned` if it was cancelled or timed out. */
export type OnSettled = (id: RequestId, isAbandoned: boolean) => void;

export interface OutboxPorts {
  sendRequest(message: RequestMessage): void;
  /** A request was cancelled or timed out. */
  abandoned(id: RequestId, method: string, reason: TenonError): void;
  /** An answer came that no request waits for: `late` if it came too late or twice, `unknown` if there was no such request. */
  dropped(why: 'late' | 'unknown'): void;
}

/** A class, like everything that lives as long as a connection: instances share their methods, which saves memory. */
export class Outbox implements TimeoutListener {
  readonly #maxPending: number;
  readonly #deadlines: Deadlines;
  readonly #ports: OutboxPorts;
  readonly #pending = new IdTable<Pending>();
  readonly #timeouts: PendingTimeouts;
  #nextId = 1;
  #onSettled: OnSettled | undefined;

  constructor(maxPending: number, deadlines: Deadlines, ports: OutboxPorts) {
    this.#maxPending = maxPending;
    this.#deadlines = deadlines;
    this.#ports = ports;
    this.#timeouts = new PendingTimeouts(this.#pending, deadlines, this);
  }

  request(method: string, params: unknown, { timeoutMs, signal, sent }: RequestOptions): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(cancelled(method, signal.reason));
    if (this.#pending.size >= this.#maxPending) return Promise.reject(tooMany(this.#maxPending));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const pending = createPending(method, resolve, reject, signal, timeoutMs);
      this.#pending.set(id, pending);
      if (timeoutMs !== undefined) this.#timeouts.start(id, pending, timeoutMs, timeoutMs);
      if (signal !== undefined) {
        pending.onAbort = () => this.#abandon(id, cancelled(method, signal.reason));
        listenForAbort(signal, pending.onAbort);
      }
      try {
        sent?.(id);
        this.#ports.sendRequest(
          params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params },
        );
      } catch (error) {
        this.failUnsent(id, error as Error);
      }
    });
  }

  resolve(id: RequestId, result: unknown): void {
    this.#takeAnswered(id)?.resolve(result);
  }

  reject(id: RequestId, error: Error): void {
    this.#takeAnswered(id)?.reject(error);
  }

  /** Rejects a request whose answer cannot be read, unless a valid one may follow. Returns whether it was pending. */
  rejectUnreadable(id: RequestId, cause: TenonError, mayFollow: (method: string) => boolean): boolean {
    const own = ownId(id);
    const pending = this.#pending.get(own);
    if (pending === undefined) return false;
    if (pending.timeoutMs !== undefined && mayFollow(pending.method)) pending.unreadable = cause;
    else this.#take(own)?.reject(unreadable(pending.method, cause));
    return true;
  }

  /** Rejects a request that will get no answer, if it is pending. */
  fail(id: RequestId, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** Rejects a request that could not be sent. */
  failUnsent(id: RequestId, error: Error): void {
    this.#take(id)?.reject(markUnsent(error));
  }

  isPending(id: RequestId): boolean {
    return this.#pending.get(id) !== undefined;
  }

  /** How many requests wait. */
  get size(): number {
    return this.#pending.size;
  }

  /** The ids of pending requests whose method matches. */
  pendingIds(matches: (method: string) => boolean): RequestId[] {
    return this.#pending.ids().filter((id) => matches(this.#pending.get(id)?.method ?? ''));
  }

  /** Sets the one callback for settled requests, or removes it. */
  onSettled(callback: OnSettled | undefined): void {
    this.#onSettled = callback;
  }

  /** Restarts the timeout of a request, as long as no more than `totalMs` have passed in total. */
  renew(id: RequestId, totalMs: number): void {
    this.#timeouts.renew(id, totalMs);
  }

  /** Time until `resume` does not count towards timeouts. Pairs may overlap. */
  pause(): void {
    this.#timeouts.pause();
  }

  resume(): void {
    this.#timeouts.resume();
  }

  get pausedMs(): number {
    return this.#timeouts.pausedMs;
  }

  timedOut(id: RequestId, method: string, timeoutMs: number): void {
    this.#abandon(id, timedOut(method, timeoutMs, id, this.#pending.get(id)?.unreadable));
  }

  /** Rejects all pending requests and reports each as abandoned. */
  abandonAll(reason: TenonError): void {
    for (const id of this.#pending.ids()) this.#abandon(id, connectionLost(reason, this.#pending.get(id)?.method, id));
  }

  /** Rejects all pending requests. */
  close(reason: TenonError): void {
    for (const id of this.#pending.ids()) {
      const pending = this.#take(id);
      pending?.reject(connectionLost(reason, pending.method, id));
    }
  }

  #take(id: RequestId, isAbandoned = false): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.deadline !== undefined) this.#deadlines.cancel(pending.deadline);
    if (pending.onAbort !== undefined && pending.signal !== undefined) stopListening(pending.signal, pending.onAbort);
    if (this.#onSettled !== undefined) this.#onSettled(id, isAbandoned);
    return pending;
  }

  #abandon(id: RequestId, reason: TenonError): void {
    const pending = this.#take(id, true);
    if (pending === undefined) return;
    pending.reject(reason);
    this.#ports.abandoned(id, pending.method, reason);
  }

  /** Ids count up from 1, so an id below the next that is not pending was answered or abandoned. */
  #takeAnswered(id: RequestId): Pending | undefined {
    const own = ownId(id);
    const pending = this.#take(own);
    if (pending === undefined)
      this.#ports.dropped(typeof own === 'number' && own > 0 && own < this.#nextId ? 'late' : 'unknown');
    return pending;
  }
}

/** Some peers return a number as a string. */
const ownId = (id: RequestId): RequestId => (typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id);

/** A closed transport refused the request, so it was not carried out. */
const markUnsent = (error: Error): Error =>
  error instanceof TenonError && error.code === 'connection-closed'
    ? new TenonError('connection-closed', error.message, { details: { sent: false }, cause: error })
    : error;

/** The reason why the connection closed, with the details of one request. */
const connectionLost = (
  { code, message, cause }: TenonError,
  method: string | undefined,
  requestId: RequestId,
): TenonError =>
  new TenonError(code, message, { details: { method, requestId }, ...(cause !== undefined && { cause }) });

const unreadable = (method: string, cause: TenonError): TenonError =>
  new TenonError('invalid-result', `The answer to ${method} cannot be read: ${cause.message}`, {
    cause,
    details: { method, reason: cause.code },
  });
const cancelled = (method: string, cause: unknown): TenonError =>
  new TenonError('cancelled', `${method} was cancelled.`, { cause, details: { method } });
const timedOut = (method: string, timeoutMs: number, requestId: RequestId, cause?: TenonError): TenonError =>
  new TenonError('timeout', `${method} had no ${cause === undefined ? '' : 'valid '}answer within ${timeoutMs} ms.`, {
    details: { method, timeoutMs, requestId },
    ...(cause !== undefined && { cause }),
  });
const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} requests wait for an answer already.`, { hint: 'Wait for some of them.' });
