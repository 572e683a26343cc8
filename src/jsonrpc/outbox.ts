/** Requests of this side that wait for their answer: each is settled once, whatever ends the wait. */
import { listenForAbort, stopListening } from './abort-listeners.ts';
import type { Deadlines } from './deadlines.ts';
import { TenonError } from './errors.ts';
import { IdTable } from './id-table.ts';
import type { RequestId, RequestMessage } from './message.ts';
import { type Late, type Pending, PendingTimes, pendingOf } from './pending.ts';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Hears the id of the request just before it is sent. */
  readonly sent?: (id: RequestId) => void;
}

/** Hears of a request whose wait ends, and whether it was given up: cancelled or out of time. */
export type Ended = (id: RequestId, isGivenUp: boolean) => void;

export interface OutboxPorts {
  sendRequest(message: RequestMessage): void;
  /** A request was given up. */
  abandoned(id: RequestId, method: string, reason: TenonError): void;
  /** An answer came that no request waits for: too late or twice, or to one that was never made. */
  dropped(why: 'late' | 'unknown'): void;
}

/** A class, as all that lives as long as a connection: methods that all of them share weigh nothing. */
export class Outbox implements Late {
  readonly #maxPending: number;
  readonly #deadlines: Deadlines;
  readonly #ports: OutboxPorts;
  readonly #pending = new IdTable<Pending>();
  readonly #times: PendingTimes;
  #nextId = 1;
  #watcher: Ended | undefined;

  constructor(maxPending: number, deadlines: Deadlines, ports: OutboxPorts) {
    this.#maxPending = maxPending;
    this.#deadlines = deadlines;
    this.#ports = ports;
    this.#times = new PendingTimes(this.#pending, deadlines, this);
  }

  request(method: string, params: unknown, { timeoutMs, signal, sent }: RequestOptions): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(cancelled(method, signal.reason));
    if (this.#pending.size >= this.#maxPending) return Promise.reject(tooMany(this.#maxPending));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const waiting = pendingOf(method, resolve, reject, signal, timeoutMs);
      this.#pending.set(id, waiting);
      if (timeoutMs !== undefined) this.#times.begin(id, waiting, timeoutMs, timeoutMs);
      if (signal !== undefined) {
        waiting.onAbort = () => this.#giveUp(id, cancelled(method, signal.reason));
        listenForAbort(signal, waiting.onAbort);
      }
      try {
        sent?.(id);
        this.#ports.sendRequest(
          params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params },
        );
      } catch (error) {
        this.#take(id)?.reject(unsent(error as Error));
      }
    });
  }

  resolve(id: RequestId, result: unknown): void {
    this.#takeAnswered(id)?.resolve(result);
  }

  reject(id: RequestId, error: Error): void {
    this.#takeAnswered(id)?.reject(error);
  }

  /** Ends the wait for an answer that came and cannot be read. Says whether anybody waited. */
  spoil(id: RequestId, fault: TenonError): boolean {
    const waiting = this.#take(ownId(id));
    waiting?.reject(unreadable(waiting.method, fault));
    return waiting !== undefined;
  }

  /** Rejects a request that can have no answer any more, if anybody waits. */
  fail(id: RequestId, error: Error): void {
    this.#take(id)?.reject(error);
  }

  waits(id: RequestId): boolean {
    return this.#pending.get(id) !== undefined;
  }

  /** The requests that wait and have such a method. */
  waiting(fits: (method: string) => boolean): RequestId[] {
    return this.#pending.ids().filter((id) => fits(this.#pending.get(id)?.method ?? ''));
  }

  /** Hears of each request whose wait ends, however it does, until somebody else or nobody is to hear of it. */
  watch(ended: Ended | undefined): void {
    this.#watcher = ended;
  }

  /** The time of a request that waits begins anew, as long as no more than `totalMs` have passed in all. */
  renew(id: RequestId, totalMs: number): void {
    this.#times.renew(id, totalMs);
  }

  /** Time from here to `resume` counts for no request that waits. Pairs may overlap. */
  pause(): void {
    this.#times.pause();
  }

  resume(): void {
    this.#times.resume();
  }

  late(id: RequestId, method: string, timeoutMs: number): void {
    this.#giveUp(id, timedOut(method, timeoutMs, id));
  }

  /** Gives up all that waits, and tells of each. */
  giveUpAll(reason: TenonError): void {
    for (const id of this.#pending.ids()) this.#giveUp(id, cutOff(reason, this.#pending.get(id)?.method, id));
  }

  /** Rejects all that waits. */
  close(reason: TenonError): void {
    for (const id of this.#pending.ids()) {
      const waiting = this.#take(id);
      waiting?.reject(cutOff(reason, waiting.method, id));
    }
  }

  #take(id: RequestId, isGivenUp = false): Pending | undefined {
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return undefined;
    this.#pending.delete(id);
    if (waiting.deadline !== undefined) this.#deadlines.cancel(waiting.deadline);
    if (waiting.onAbort !== undefined && waiting.signal !== undefined) stopListening(waiting.signal, waiting.onAbort);
    if (this.#watcher !== undefined) this.#watcher(id, isGivenUp);
    return waiting;
  }

  #giveUp(id: RequestId, reason: TenonError): void {
    const waiting = this.#take(id, true);
    if (waiting === undefined) return;
    waiting.reject(reason);
    this.#ports.abandoned(id, waiting.method, reason);
  }

  /** Ids count up from 1, so one below the next that nobody waits for was answered or given up. */
  #takeAnswered(id: RequestId): Pending | undefined {
    const own = ownId(id);
    const waiting = this.#take(own);
    if (waiting === undefined)
      this.#ports.dropped(typeof own === 'number' && own > 0 && own < this.#nextId ? 'late' : 'unknown');
    return waiting;
  }
}

/** Some peers give a number back as text. */
const ownId = (id: RequestId): RequestId => (typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id);

/** What a channel that has closed did not take has certainly not been carried out. */
const unsent = (error: Error): Error =>
  error instanceof TenonError && error.code === 'connection-closed'
    ? new TenonError('connection-closed', error.message, { details: { sent: false }, cause: error })
    : error;

/** What ended the connection, said of one request. */
const cutOff = ({ code, message, cause }: TenonError, method: string | undefined, requestId: RequestId): TenonError =>
  new TenonError(code, message, { details: { method, requestId }, ...(cause !== undefined && { cause }) });

const unreadable = (method: string, cause: TenonError): TenonError =>
  new TenonError('invalid-result', `The answer to ${method} cannot be read: ${cause.message}`, {
    cause,
    details: { method, fault: cause.code },
  });
const cancelled = (method: string, cause: unknown): TenonError =>
  new TenonError('cancelled', `${method} was cancelled.`, { cause, details: { method } });
const timedOut = (method: string, timeoutMs: number, requestId: RequestId): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms.`, {
    details: { method, timeoutMs, requestId },
  });
const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} requests wait for an answer already.`, { hint: 'Wait for some of them.' });
