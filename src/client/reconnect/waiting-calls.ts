/** Calls that wait for a connection: each within its time limit, which stops while a person signs in, and limited in number. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { PausableClock } from '../../lib/time/pausable-clock.ts';
import type { Connection } from '../connection/connection.ts';
import type { PendingReason } from '../connection/connector.ts';

export interface WaitForConnection {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the call rejects when the first attempt fails. */
  readonly failFast?: boolean;
  /** Whether the call waits for its whole time, however often attempts fail: it was sent before. */
  readonly untilTimeout?: boolean;
}

/** Why there is no connection: the last error, or what the first attempt waits for. */
export interface DisconnectedReason {
  readonly lastError?: Error | undefined;
  readonly pending?: PendingReason | undefined;
}

interface Entry {
  readonly failFast: boolean;
  readonly untilTimeout: boolean;
  resolve(connection: Connection): void;
  reject(error: Error): void;
}

export class WaitingCalls {
  readonly #deadlines: Deadlines;
  readonly #limit: number;
  readonly #reasons: { whyDisconnected(): DisconnectedReason };
  /** Created on first use: on a connected client no call waits. */
  #entries: Set<Entry> | undefined;
  /** Created at the first pause: most connections need no person. */
  #clock: PausableClock | undefined;

  constructor(deadlines: Deadlines, limit: number, owner: { whyDisconnected(): DisconnectedReason }) {
    this.#deadlines = deadlines;
    this.#limit = limit;
    this.#reasons = owner;
  }

  join({ timeoutMs, signal, failFast = false, untilTimeout = false }: WaitForConnection): Promise<Connection> {
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    this.#entries ??= new Set();
    const entries = this.#entries;
    if (entries.size >= this.#limit) return Promise.reject(tooMany(this.#limit));
    return new Promise((resolve, reject) => {
      let deadline: Deadline | undefined;
      const onAbort = (): void => entry.reject(cancelled(signal as AbortSignal));
      const settle = (deliver: () => void): void => {
        if (!entries.delete(entry)) return;
        if (entries.size === 0 && this.#entries === entries) this.#entries = undefined;
        if (deadline !== undefined) this.#deadlines.cancel(deadline);
        if (signal !== undefined) stopListening(signal, onAbort);
        deliver();
      };
      const entry: Entry = {
        failFast,
        untilTimeout,
        resolve: (connection) => settle(() => resolve(connection)),
        reject: (error) => settle(() => reject(error)),
      };
      entries.add(entry);
      const expireAfter = (ms: number): void => {
        const pausedMs = this.#pausedMs;
        deadline = this.#deadlines.add(ms, () => {
          const leftMs = this.#pausedMs - pausedMs;
          if (leftMs <= 0) entry.reject(timedOut(timeoutMs as number, this.#reasons.whyDisconnected()));
          else this.#clock?.whenRunning(() => entries.has(entry) && expireAfter(leftMs));
        });
      };
      // Without a timeout it still keeps the process alive.
      expireAfter(timeoutMs ?? Number.POSITIVE_INFINITY);
      if (signal !== undefined) listenForAbort(signal, onAbort);
    });
  }

  get #pausedMs(): number {
    return this.#clock?.pausedMs ?? 0;
  }

  /** Time in which the connection waits for credentials does not count. Pairs may overlap. */
  delayed(isDelayed: boolean): void {
    this.#clock ??= new PausableClock(this.#deadlines);
    if (isDelayed) this.#clock.pause();
    else this.#clock.resume();
  }

  release(connection: Connection): void {
    for (const entry of this.#snapshot()) entry.resolve(connection);
  }

  /** Rejects all of them; those with `failFast` with the exact error, if it is known. */
  refuse(error: Error, exact: Error = error): void {
    for (const entry of this.#snapshot()) entry.reject(entry.failFast ? exact : error);
  }

  /** Rejects those that do not wait for their whole time: the connection failed too often. */
  refuseImpatient(error: Error, exact: Error): void {
    for (const entry of this.#snapshot()) if (!entry.untilTimeout) entry.reject(entry.failFast ? exact : error);
  }

  refuseFailFast(error: Error): void {
    for (const entry of this.#snapshot()) if (entry.failFast) entry.reject(error);
  }

  #snapshot(): Entry[] {
    return [...(this.#entries ?? [])];
  }
}

const cancelled = (signal: AbortSignal): TenonError =>
  new TenonError('cancelled', 'The call was cancelled before there was a connection.', { cause: signal.reason });

/** The error names the reason why there is no connection. */
function timedOut(timeoutMs: number, { lastError, pending }: DisconnectedReason): TenonError {
  const text = `There was no connection within ${timeoutMs} ms`;
  if (lastError === undefined) {
    const { hint } = pending ?? {};
    const more = pending === undefined ? '' : ` ${pending.text}`;
    return new TenonError('timeout', `${text}.${more}`, {
      details: { timeoutMs },
      ...(hint !== undefined && { hint }),
    });
  }
  const { hint, details = {} } = lastError instanceof TenonError ? lastError : {};
  // The hint is part of the message, and is added to this one too.
  const why = hint === undefined ? lastError.message : lastError.message.slice(0, -hint.length).trimEnd();
  return new TenonError('timeout', `${text}; the last attempt failed: ${why}`, {
    ...(hint !== undefined && { hint }),
    details: { ...details, timeoutMs },
    cause: lastError,
  });
}

const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} calls already wait for a connection.`, { hint: 'Wait for some of them.' });
