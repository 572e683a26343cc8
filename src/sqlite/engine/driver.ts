/** The SQLite engine: a file that several processes of one machine can share. */
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import { checkOps } from '../../store/check-ops.ts';
import {
  type LogShare,
  type Op,
  type Ran,
  type StoreDriver,
  type Sync,
  type Taken,
  type TakeRequest,
} from '../../store/driver.ts';
import type { Durability } from '../../store/durability.ts';
import { createSqliteBus, type SqliteBus } from '../bus.ts';
import type { Connection } from '../connection.ts';
import { StoreClock } from './clock.ts';
import { GroupCommit } from './group-commit.ts';
import { type OpenFile, openConnections } from './open-file.ts';
import { SqliteQueues } from './queues.ts';
import { isRead, SqliteRuns } from './run.ts';
import { clearTables, prepareTables } from './schema.ts';
import type { StoreFiles } from './store-files.ts';
import { decoded, encoded, encodedOps } from './texts.ts';

/** Options of `openSqliteDriver`. */
export interface SqliteDriverOptions {
  /** How long an operation waits for other processes before it fails with `store-busy`. Default 1500. */
  readonly busyMs?: number;
  /** `process`: runs with the sync `disk` survive only the process as well. Default `disk`. */
  readonly durability?: 'process' | 'disk';
  /** Which package opens the file. Default `node:sqlite` where Node has it, else `libsql`; both read the files of the other. */
  readonly driver?: 'node:sqlite' | 'libsql';
  /** The clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Called with what failed in the background, such as looking for messages of other processes. */
  readonly onError?: (error: unknown) => void;
  /** Runs when the file is open, before anything else. */
  readonly prepare?: (run: StoreDriver['run']) => Promise<void> | void;
}

/** An engine on a SQLite file. */
export interface SqliteDriver extends StoreDriver {
  readonly name: 'sqlite';
  /** Deletes everything, as if the file had lost its contents. For tests. */
  clear(): Promise<void>;
}

/** Opens an engine on a file; makes the file and its folder where there are none. */
export async function openSqliteDriver(file: string, options: SqliteDriverOptions = {}): Promise<SqliteDriver> {
  const { now = () => Date.now(), onError = () => undefined, prepare } = options;
  const opened = await openConnections(file, options);
  const { connection, strict, files } = opened;
  try {
    await connection.write(() => prepareTables(connection, now()));
    files.remember();
    const driver = new SqliteEngine(opened, now, onError);
    await prepare?.((...run) => driver.run(...run));
    return driver;
  } catch (cause) {
    strict.close();
    connection.close();
    throw cause;
  }
}

class SqliteEngine implements SqliteDriver {
  readonly name = 'sqlite';
  readonly durability: Durability;
  epoch: string;
  readonly #connection: Connection;
  readonly #strict: Connection;
  readonly #files: StoreFiles;
  readonly #clock: StoreClock;
  readonly #bus: SqliteBus;
  readonly #runs: SqliteRuns;
  readonly #strictRuns: SqliteRuns;
  readonly #queues: SqliteQueues;
  readonly #together: GroupCommit;
  #hasPublished = false;

  /** Of two connections, `strict` syncs the disk at each commit; what the other has committed survives the process. */
  constructor({ connection, strict, files }: OpenFile, now: () => number, onError: (cause: unknown) => void) {
    this.#connection = connection;
    this.#strict = strict;
    this.#files = files;
    this.durability = strict.survivesPowerFailure ? 'disk' : 'process';
    this.epoch = this.#readEpoch();
    this.#clock = new StoreClock(connection, now);
    this.#bus = createSqliteBus(connection, {
      now: () => this.#clock.now(),
      onError,
      onChange: () => void (this.epoch = this.#readEpoch()),
    });
    const runsOf = (writer: Connection): SqliteRuns =>
      new SqliteRuns(writer, (topic, text) => {
        this.#bus.add(writer, topic, text);
        this.#hasPublished = true;
      });
    this.#runs = runsOf(connection);
    this.#strictRuns = runsOf(strict);
    this.#queues = new SqliteQueues(connection, this.#runs.rows, this.#runs.logs);
    this.#together = new GroupCommit(strict, () => this.#deliver());
  }

  run(partition: string, ops: readonly Op[], sync: Sync = 'process'): MaybePromise<Ran> {
    checkOps(ops);
    return mapped(this.#run(encoded(partition), encodedOps(ops), sync), decoded);
  }

  #run(partition: string, ops: readonly Op[], sync: Sync): MaybePromise<Ran> {
    if (!ops.every((op) => isRead(op) || op.op === 'entries')) return this.#write(partition, ops, sync);
    return mapped(
      this.#connection.read(() => this.#read(partition, ops)),
      (ran) => ran ?? this.#write(partition, ops, sync),
    );
  }

  /** A lease need not be on disk: a loss of power ends its holder as well. */
  take(given: TakeRequest): MaybePromise<readonly Taken[]> {
    const request = encoded(given);
    const taken = mapped(
      this.#connection.read(() => {
        // A worker with nothing to do would not notice that the file is deleted, nor get what others add to a new one.
        this.#files.checkSometimes();
        return this.#queues.isAnyDue(request, this.#clock.now());
      }),
      (isAny) => (isAny ? this.#change((now) => this.#queues.take(request, now)) : []),
    );
    return mapped(taken, decoded);
  }

  subscribe(topic: string, onMessage: (text: string) => void, onMissed?: () => void): MaybePromise<() => void> {
    return this.#bus.subscribe(encoded(topic), (text) => onMessage(decoded(text)), onMissed);
  }

  sweep(max: number): MaybePromise<number> {
    return this.#change((now) => {
      this.#runs.deleteFull(now, max);
      this.#runs.logs.deleteLoose(now, max);
      return this.#runs.rows.expire(now, max);
    });
  }

  logShares(): MaybePromise<readonly LogShare[]> {
    return mapped(
      this.#connection.read(() => this.#runs.logs.shares()),
      decoded,
    );
  }

  shrinkLogs(
    maxChars: number,
    shares: readonly LogShare[],
    inUse: { partition: string; row: string; log: string },
  ): MaybePromise<void> {
    const { logs } = this.#runs;
    const { partition, row, log } = encoded(inUse);
    return this.#change((now) => logs.shrink(maxChars, encoded(shares), logs.find(partition, row, log, now).id));
  }

  async close(): Promise<void> {
    await this.#together.flush();
    this.#bus.close();
    this.#strict.close();
    this.#connection.close();
  }

  async clear(): Promise<void> {
    await this.#change(() => clearTables(this.#connection));
    this.epoch = this.#readEpoch();
  }

  /** Reads in one transaction, so that all ops see the same; `undefined` if there is something to write. */
  #read(partition: string, ops: readonly Op[]): Ran | undefined {
    const read = (): Ran | undefined => this.#runs.read(partition, ops, this.#clock.now());
    if (ops.length === 1 && ops[0]?.op !== 'entries') return read();
    this.#connection.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#connection.exec('ROLLBACK');
    }
  }

  /** Only what waits for the disk waits for others. */
  #write(partition: string, ops: readonly Op[], sync: Sync): MaybePromise<Ran> {
    if (sync === 'disk' && this.durability === 'disk')
      return this.#together.write(() => this.#strictRuns.run(partition, ops, this.#clock.saved(this.#strict)));
    return mapped(
      this.#change((now) => this.#runs.run(partition, ops, now)),
      (ran) => {
        this.#deliver();
        return ran;
      },
    );
  }

  /** Runs an operation as one transaction that survives the process. */
  #change<T>(operation: (now: number) => T): MaybePromise<T> {
    return this.#connection.write(() => operation(this.#clock.saved(this.#connection)));
  }

  /** Delivers to the subscribers of this process what was published. */
  #deliver(): void {
    if (!this.#hasPublished) return;
    this.#hasPublished = false;
    this.#bus.deliver();
  }

  #readEpoch(): string {
    return this.#connection.sql('SELECT epoch FROM store').get()?.epoch as string;
  }
}
