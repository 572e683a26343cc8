/** Calls that wait for a connection: each for as long as it has patience, all of them no more than a limit. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';
import type { Deadline, Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Line } from '../connection/connection.ts';
import type { Awaited } from '../connection/connector.ts';

export interface Patience {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The first attempt that fails is the answer. */
  readonly impatient?: boolean;
}

/** Why there is no connection: what the last attempt came to, or what the first one waits for. */
export interface Absence {
  readonly failed?: Error | undefined;
  readonly awaited?: Awaited | undefined;
}

interface Entry {
  readonly impatient: boolean;
  resolve(line: Line): void;
  reject(error: Error): void;
}

export class Waiting {
  readonly #deadlines: Deadlines;
  readonly #limit: number;
  readonly #owner: { absence(): Absence };
  /** Made when somebody waits: a client that is connected has nobody who does. */
  #entries: Set<Entry> | undefined;

  constructor(deadlines: Deadlines, limit: number, owner: { absence(): Absence }) {
    this.#deadlines = deadlines;
    this.#limit = limit;
    this.#owner = owner;
  }

  join({ timeoutMs, signal, impatient = false }: Patience): Promise<Line> {
    if (signal?.aborted) return Promise.reject(givenUp(signal));
    this.#entries ??= new Set();
    const entries = this.#entries;
    if (entries.size >= this.#limit) return Promise.reject(tooMany(this.#limit));
    return new Promise((resolve, reject) => {
      let late: Deadline | undefined;
      const onAbort = (): void => entry.reject(givenUp(signal as AbortSignal));
      const settle = (how: () => void): void => {
        if (!entries.delete(entry)) return;
        if (entries.size === 0 && this.#entries === entries) this.#entries = undefined;
        if (late !== undefined) this.#deadlines.cancel(late);
        if (signal !== undefined) stopListening(signal, onAbort);
        how();
      };
      const entry: Entry = {
        impatient,
        resolve: (line) => settle(() => resolve(line)),
        reject: (error) => settle(() => reject(error)),
      };
      entries.add(entry);
      late =
        timeoutMs === undefined
          ? this.#deadlines.add(Number.POSITIVE_INFINITY, () => {}) // It holds the process, as whatever waits does.
          : this.#deadlines.add(timeoutMs, () => entry.reject(tooLate(timeoutMs, this.#owner.absence())));
      if (signal !== undefined) listenForAbort(signal, onAbort);
    });
  }

  release(line: Line): void {
    for (const entry of this.#now()) entry.resolve(line);
  }

  /** Tells all of them; the impatient hear what exactly happened, where that is known. */
  refuse(error: Error, exact: Error = error): void {
    for (const entry of this.#now()) entry.reject(entry.impatient ? exact : error);
  }

  refuseImpatient(error: Error): void {
    for (const entry of this.#now()) if (entry.impatient) entry.reject(error);
  }

  #now(): Entry[] {
    return [...(this.#entries ?? [])];
  }
}

const givenUp = (signal: AbortSignal): TenonError =>
  new TenonError('cancelled', 'The call was given up before there was a connection.', { cause: signal.reason });

/** Whoever waited in vain has to read what keeps the connection from being made. */
function tooLate(timeoutMs: number, { failed, awaited }: Absence): TenonError {
  const text = `There was no connection within ${timeoutMs} ms`;
  if (failed === undefined) {
    const { hint } = awaited ?? {};
    const more = awaited === undefined ? '' : ` ${awaited.text}`;
    return new TenonError('timeout', `${text}.${more}`, {
      details: { timeoutMs },
      ...(hint !== undefined && { hint }),
    });
  }
  const { hint, details = {} } = failed instanceof TenonError ? failed : {};
  // An error has its hint in its text, and this one says it too.
  const why = hint === undefined ? failed.message : failed.message.slice(0, -hint.length).trimEnd();
  return new TenonError('timeout', `${text}; the last attempt failed: ${why}`, {
    ...(hint !== undefined && { hint }),
    details: { ...details, timeoutMs },
    cause: failed,
  });
}

const tooMany = (limit: number): TenonError =>
  new TenonError('queue-full', `${limit} calls wait for a connection already.`, { hint: 'Wait for some of them.' });
