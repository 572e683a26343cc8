/** Requests of this side that wait for their answer: each is settled once, whatever ends the wait. */
import { listenForAbort, stopListening } from './abort-listeners.ts';
import type { Deadlines } from './deadlines.ts';
import { TenonError } from './errors.ts';
import { IdTable } from './id-table.ts';
import type { RequestId, RequestMessage } from './message.ts';
import { createPendingTimes, type Pending, pendingOf } from './pending.ts';
import { createStillness } from './stillness.ts';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Hears the id of the request just before it is sent. */
  readonly sent?: (id: RequestId) => void;
}

/** Hears of a request whose wait ends, and whether it was given up: cancelled or out of time. */
export type Ended = (id: RequestId, isGivenUp: boolean) => void;

export interface OutboxPorts {
  send(message: RequestMessage): void;
  /** A request was given up. */
  abandoned(id: RequestId, method: string, reason: TenonError): void;
  /** An answer came that no request waits for: too late or twice, or to one that was never made. */
  dropped(why: 'late' | 'unknown'): void;
}

export interface Outbox {
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown>;
  resolve(id: RequestId, result: unknown): void;
  reject(id: RequestId, error: Error): void;
  /** Ends the wait for an answer that came and cannot be read. Says whether anybody waited. */
  spoil(id: RequestId, fault: TenonError): boolean;
  /** Rejects a request that can have no answer any more, if anybody waits. */
  fail(id: RequestId, error: Error): void;
  waits(id: RequestId): boolean;
  /** The requests that wait and have such a method. */
  waiting(fits: (method: string) => boolean): RequestId[];
  /** Hears of each request whose wait ends, however it does, until somebody else or nobody is to hear of it. */
  watch(ended: Ended | undefined): void;
  /** The time of a request that waits begins anew, as long as no more than `totalMs` have passed in all. */
  renew(id: RequestId, totalMs: number): void;
  /** Time from here to `resume` counts for no request that waits. Pairs may overlap. */
  pause(): void;
  resume(): void;
  /** Gives up all that waits, and tells of each. */
  giveUpAll(reason: TenonError): void;
  /** Rejects all that waits. */
  close(reason: TenonError): void;
}

export function createOutbox(maxPending: number, deadlines: Deadlines, ports: OutboxPorts): Outbox {
  const pending = new IdTable<Pending>();
  const stillness = createStillness(deadlines);
  const times = createPendingTimes(pending, deadlines, stillness, (id, method, timeoutMs) =>
    giveUp(id, timedOut(method, timeoutMs)),
  );
  let nextId = 1;
  let watcher: Ended | undefined;

  function take(id: RequestId, isGivenUp = false): Pending | undefined {
    const waiting = pending.get(id);
    if (waiting === undefined) return undefined;
    pending.delete(id);
    if (waiting.deadline !== undefined) deadlines.cancel(waiting.deadline);
    if (waiting.onAbort !== undefined && waiting.signal !== undefined) stopListening(waiting.signal, waiting.onAbort);
    if (watcher !== undefined) watcher(id, isGivenUp);
    return waiting;
  }

  function giveUp(id: RequestId, reason: TenonError): void {
    const waiting = take(id, true);
    if (waiting === undefined) return;
    waiting.reject(reason);
    ports.abandoned(id, waiting.method, reason);
  }

  /** Ids count up from 1, so one below the next that nobody waits for was answered or given up. */
  function takeAnswered(id: RequestId): Pending | undefined {
    const own = ownId(id);
    const waiting = take(own);
    if (waiting === undefined) ports.dropped(typeof own === 'number' && own > 0 && own < nextId ? 'late' : 'unknown');
    return waiting;
  }

  return {
    request(method, params, { timeoutMs, signal, sent }) {
      if (signal?.aborted) return Promise.reject(cancelled(method, signal.reason));
      if (pending.size >= maxPending) return Promise.reject(tooMany(maxPending));
      const id = nextId++;
      return new Promise((resolve, reject) => {
        const waiting = pendingOf(method, resolve, reject, signal, timeoutMs);
        pending.set(id, waiting);
        if (timeoutMs !== undefined) times.begin(id, waiting, timeoutMs, timeoutMs);
        if (signal !== undefined) {
          waiting.onAbort = () => giveUp(id, cancelled(method, signal.reason));
          listenForAbort(signal, waiting.onAbort);
        }
        try {
          sent?.(id);
          ports.send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params });
        } catch (error) {
          take(id)?.reject(unsent(error as Error));
        }
      });
    },
    resolve: (id, result) => takeAnswered(id)?.resolve(result),
    reject: (id, error) => takeAnswered(id)?.reject(error),
    spoil(id, fault) {
      const waiting = take(ownId(id));
      waiting?.reject(unreadable(waiting.method, fault));
      return waiting !== undefined;
    },
    fail: (id, error) => take(id)?.reject(error),
    waits: (id) => pending.get(id) !== undefined,
    waiting: (fits) => pending.ids().filter((id) => fits(pending.get(id)?.method ?? '')),
    watch(ended) {
      watcher = ended;
    },
    renew: times.renew,
    pause: stillness.pause,
    resume: stillness.resume,
    giveUpAll: (reason) => pending.ids().forEach((id) => giveUp(id, cutOff(reason, pending.get(id)?.method, id))),
    close: (reason) => pending.ids().forEach((id) => cut(take(id), reason, id)),
  };
}

/** Some peers give a number back as text. */
const ownId = (id: RequestId): RequestId => (typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id);

/** What a channel that has closed did not take has certainly not been carried out. */
const unsent = (error: Error): Error =>
  error instanceof TenonError && error.code === 'connection-closed'
    ? new TenonError('connection-closed', error.message, { details: { sent: false }, cause: error })
    : error;

function cut(waiting: Pending | undefined, reason: TenonError, id: RequestId): void {
  waiting?.reject(cutOff(reason, waiting.method, id));
}

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
const timedOut = (method: string, timeoutMs: number): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms.`, { details: { method, timeoutMs } });
const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} requests wait for an answer already.`, { hint: 'Wait for some of them.' });
