/** One connection to a SQLite file. An operation waits for other processes without blocking its own. */
import { setTimeout as wait } from 'node:timers/promises';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import { type Database, isBusy, type Statement } from './database.ts';

/** How long SQLite itself waits for another process. The event loop stands still meanwhile, so: shortly. */
const blockingMs = 20;

export interface ConnectionOptions {
  /** How long an operation waits for other processes before it fails with `store-busy`. */
  readonly busyMs: number;
  /** `full` survives a power failure; `normal` survives the end of a process. */
  readonly synchronous: 'full' | 'normal';
  /** Called before each commit: what throws undoes the transaction. */
  readonly beforeCommit: () => void;
}

export class Connection {
  readonly #database: Database;
  readonly #busyMs: number;
  readonly #beforeCommit: () => void;
  readonly #statements = new Map<string, Statement>();
  /** Settles when the operations that wait for another process are done; those that follow wait for it. */
  #waiting: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(database: Database, { busyMs, synchronous, beforeCommit }: ConnectionOptions) {
    this.#database = database;
    this.#busyMs = busyMs;
    this.#beforeCommit = beforeCommit;
    database.exec(`PRAGMA busy_timeout = ${blockingMs}`);
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    // On macOS a plain sync leaves data in the cache of the disk.
    if (synchronous === 'full') database.exec('PRAGMA fullfsync = 1');
  }

  /** Whether a transaction is on disk when it has committed, as SQLite itself reports it. */
  get survivesPowerFailure(): boolean {
    const full = 2;
    return Number(this.sql('PRAGMA synchronous').get()?.synchronous) >= full;
  }

  /** The statement, prepared once. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  /** Runs an operation as one transaction, after those that were called before it. Its value is there at once unless another process writes. */
  write<T>(operation: () => T): MaybePromise<T> {
    return this.#inTurn(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const value = operation();
        this.#beforeCommit();
        this.#database.exec('COMMIT');
        return value;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  /** Runs an operation that only reads, of one statement. */
  read<T>(operation: () => T): MaybePromise<T> {
    return this.#inTurn(operation, 'read');
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }

  #inTurn<T>(operation: () => T, kind: 'read' | 'write' = 'write'): MaybePromise<T> {
    if (this.#waiting !== undefined) return this.#afterOthers(operation, kind);
    try {
      return this.#attempt(operation);
    } catch (error) {
      if (isBusy(error)) return this.#afterOthers(operation, kind);
      throw failed(error);
    }
  }

  #afterOthers<T>(operation: () => T, kind: 'read' | 'write'): Promise<T> {
    const deadline = performance.now() + this.#busyMs;
    const done = (this.#waiting ?? Promise.resolve()).then(() => {
      // The deadline began with the call: a write whose caller may have stopped waiting is not attempted.
      if (kind === 'write' && performance.now() >= deadline) throw busy(this.#busyMs);
      return this.#retry(operation, deadline);
    });
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#waiting = settled;
    void this.#clear(settled);
    return done;
  }

  async #clear(settled: Promise<unknown>): Promise<void> {
    await settled;
    if (this.#waiting === settled) this.#waiting = undefined;
  }

  async #retry<T>(operation: () => T, deadline: number): Promise<T> {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      try {
        return this.#attempt(operation);
      } catch (error) {
        if (!isBusy(error)) throw failed(error);
        if (performance.now() >= deadline) throw busy(this.#busyMs, error);
      }
      // Jitter: processes that wait for each other must not do so in step.
      await wait(pauseMs * (0.5 + Math.random()));
    }
  }

  #attempt<T>(operation: () => T): T {
    if (this.#isClosed) throw new TenonError('store-failed', 'The SQLite store is closed.');
    return operation();
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // The transaction has not begun, or SQLite has ended it itself.
    }
  }
}

const busy = (ms: number, cause?: unknown): TenonError =>
  new TenonError('store-busy', `Another process has held the SQLite store for ${ms} ms.`, {
    hint: 'Look for a process that stopped in the middle of a transaction, or use Redis for more writes.',
    cause,
  });

function failed(cause: unknown): unknown {
  if (cause instanceof TenonError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TenonError('store-failed', `SQLite failed: ${message}.`, { cause });
}
