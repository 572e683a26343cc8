/** The SQLite engine: a file that several processes of one machine can share. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import { maxOps, type Op, type Ran, type StoreDriver, type Sync } from '../../store/driver.ts';
import { createSqliteBus } from '../bus.ts';
import type { Connection } from '../connection.ts';
import { StoreClock } from './clock.ts';
import { GroupCommit } from './group-commit.ts';
import { openConnections } from './open-file.ts';
import { SqliteQueues } from './queues.ts';
import { isRead, SqliteRuns } from './run.ts';
import { clearTables, prepareTables } from './schema.ts';

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
  const { now: clockNow = () => Date.now(), onError = () => undefined, prepare } = options;
  // One syncs the disk at each commit, the other survives the end of the process.
  const { connection, strict } = await openConnections(file, options);
  const close = (): void => {
    strict.close();
    connection.close();
  };
  try {
    await connection.write(() => prepareTables(connection, clockNow()));
    const driver = createDriver(connection, strict, clockNow, onError);
    await prepare?.(driver.run);
    return driver;
  } catch (cause) {
    close();
    throw cause;
  }
}

function createDriver(
  connection: Connection,
  strict: Connection,
  clockNow: () => number,
  onError: (cause: unknown) => void,
): SqliteDriver {
  const readEpoch = (): string => connection.sql('SELECT epoch FROM store').get()?.epoch as string;
  let epoch = readEpoch();
  const clock = new StoreClock(connection, clockNow);
  const bus = createSqliteBus(connection, {
    now: () => clock.now(),
    onError,
    onChange: () => void (epoch = readEpoch()),
  });
  const runsOf = (writer: Connection): SqliteRuns =>
    new SqliteRuns(writer, (topic, text) => bus.add(writer, topic, text));
  const [runs, strictRuns] = [runsOf(connection), runsOf(strict)];
  const queues = new SqliteQueues(connection, runs.rows, runs.logs);
  let hasPublished = false;
  const deliver = (): void => {
    if (hasPublished) bus.deliver();
    hasPublished = false;
  };
  const together = new GroupCommit(strict, deliver);

  /** Reads in one transaction, so that all ops see the same. */
  function readAll(partition: string, ops: readonly Op[]): Ran | undefined {
    const read = (): Ran | undefined => runs.read(partition, ops, clock.now());
    if (ops.length === 1 && ops[0]?.op !== 'entries') return read();
    connection.exec('BEGIN');
    try {
      return read();
    } finally {
      connection.exec('ROLLBACK');
    }
  }

  function write(partition: string, ops: readonly Op[], sync: Sync): MaybePromise<Ran> {
    const [writer, on] = sync === 'disk' ? [strict, strictRuns] : [connection, runs];
    const operation = (): Ran => {
      const ran = on.run(partition, ops, clock.saved(writer));
      if (ran.failed === undefined && ops.some(({ op }) => op === 'publish')) hasPublished = true;
      return ran;
    };
    if (sync === 'disk') return together.write(operation);
    return mapped(connection.write(operation), (ran) => {
      deliver();
      return ran;
    });
  }

  return {
    name: 'sqlite',
    durability: strict.survivesPowerFailure ? 'disk' : 'process',
    get epoch() {
      return epoch;
    },
    run(partition, ops, sync = 'process') {
      if (ops.length > maxOps) throw tooManyOps(ops.length);
      if (!ops.every((op) => isRead(op) || op.op === 'entries')) return write(partition, ops, sync);
      return mapped(
        connection.read(() => readAll(partition, ops)),
        (ran) => ran ?? write(partition, ops, sync),
      );
    },
    take(request) {
      const isAny = connection.read(() => queues.isAnyDue(request, clock.now()));
      return mapped(isAny, (is) => (is ? connection.write(() => queues.take(request, clock.saved(connection))) : []));
    },
    subscribe: (topic, onMessage, onMissed) => bus.subscribe(topic, onMessage, onMissed),
    sweep(max) {
      return connection.write(() => {
        const now = clock.saved(connection);
        runs.deleteFull(now, max);
        runs.logs.deleteLoose(now, max);
        return runs.rows.expire(now, max);
      });
    },
    shrinkLogs(maxChars, { partition, row, log }) {
      return connection.write(() => {
        const now = clock.saved(connection);
        runs.logs.shrink(maxChars, runs.logs.find(partition, row, log, now).id);
      });
    },
    async close() {
      await together.flush();
      bus.close();
      strict.close();
      connection.close();
    },
    async clear() {
      await connection.write(() => clearTables(connection));
      epoch = readEpoch();
    },
  };
}

const tooManyOps = (count: number): TenonError =>
  new TenonError('invalid-argument', `A run has ${count} ops; ${maxOps} are allowed.`, {
    hint: 'Divide it into several runs.',
  });
