/** Transactions that share one sync of the disk: those of one turn of the event loop commit together. */
import type { Connection } from '../connection.ts';

interface Waiting {
  readonly operation: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (cause: unknown) => void;
}

/** How many operations share a transaction, at most: the event loop stands still meanwhile. */
const maxTogether = 256;

export class GroupCommit {
  readonly #connection: Connection;
  readonly #onCommit: () => void;
  #waiting: Waiting[] = [];
  #isScheduled = false;

  /** `onCommit` is called after each transaction, before its operations are acknowledged. */
  constructor(connection: Connection, onCommit: () => void) {
    this.#connection = connection;
    this.#onCommit = onCommit;
  }

  /** Runs an operation in a transaction with others. Each is all or nothing: one that throws changes nothing, and the others are done. */
  write<T>(operation: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      this.#schedule();
    });
  }

  /** Runs what waits. */
  async flush(): Promise<void> {
    const begun: Promise<void>[] = [];
    while (this.#waiting.length > 0) begun.push(this.#next());
    await Promise.all(begun);
  }

  /** Does not wait for those before: how long each waits for other processes begins now. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#next();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #next(): Promise<void> {
    const together = this.#waiting.splice(0, maxTogether);
    let thrown: unknown;
    try {
      const values = await this.#connection.write(() => {
        thrown = undefined;
        return together.map(({ operation }) => {
          try {
            return operation();
          } catch (cause) {
            thrown = cause;
            throw cause;
          }
        });
      });
      this.#onCommit();
      for (const [index, { resolve }] of together.entries()) resolve(values[index] as never);
    } catch (cause) {
      // A commit that failed may have happened: it is not repeated. An operation that failed has undone the others.
      if (thrown === undefined || together.length === 1) for (const { reject } of together) reject(cause);
      else for (const each of together) await this.#alone(each);
    }
  }

  async #alone({ operation, resolve, reject }: Waiting): Promise<void> {
    try {
      const value = await this.#connection.write(operation);
      this.#onCommit();
      resolve(value as never);
    } catch (cause) {
      reject(cause);
    }
  }
}
