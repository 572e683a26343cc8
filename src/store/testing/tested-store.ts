/** A store under test, as the cases of the suite use it. */
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type {
  AppendOp,
  FailedRun,
  FailedWhy,
  Log,
  NewEntry,
  Op,
  OpResult,
  PutOp,
  Ran,
  Row,
  StoreDriver,
  Taken,
  TakeRequest,
} from '../driver.ts';
import { check, same } from './check.ts';

/** What the suite needs of a driver: each case opens one, on an empty store. */
export interface DriverUnderTest {
  /** The driver that is tested. */
  readonly driver: StoreDriver;
  /** Another connection to the same data, as another process has. Default `driver`. */
  readonly other?: StoreDriver;
  /** Moves the clock of the store, which otherwise stands still. A negative number sets it back. */
  advance(ms: number): MaybePromise<void>;
  /** Loses all data, as a server does that is started anew without it. Without it, that is not tested. */
  lose?(): MaybePromise<void>;
  /** Cuts the connection of `driver`, which is made again. Without it, that is not tested. */
  disconnect?(): MaybePromise<void>;
  /** Closes what was opened, and deletes its data. */
  close(): MaybePromise<void>;
}

/** A case: it throws if the driver breaks the contract. */
export type Case = (store: TestedStore) => Promise<void>;

/** Cases by what they check. */
export type Cases = Readonly<Record<string, Case>>;

export class TestedStore {
  readonly under: DriverUnderTest;
  readonly driver: StoreDriver;
  readonly other: StoreDriver;

  constructor(under: DriverUnderTest) {
    this.under = under;
    this.driver = under.driver;
    this.other = under.other ?? under.driver;
  }

  async advance(ms: number): Promise<void> {
    await this.under.advance(ms);
  }

  async run(...ops: readonly Op[]): Promise<Ran> {
    return this.driver.run('p', ops);
  }

  /** The results of a run that must not fail. */
  async done(...ops: readonly Op[]): Promise<readonly OpResult[]> {
    return doneOf(await this.run(...ops));
  }

  /** A run that must fail with this reason. */
  async refused(why: FailedWhy, ...ops: readonly Op[]): Promise<FailedRun> {
    const ran = await this.run(...ops);
    if (ran.failed === undefined) throw new Error(`Expected: the run fails with '${why}'. It was done.`);
    same(ran.why, why, 'why the run failed');
    return ran;
  }

  async row(key: string): Promise<Row | undefined> {
    const [row] = await this.done({ op: 'get', key });
    return row as Row | undefined;
  }

  /** The keys of a group. */
  async keys(group: string): Promise<readonly string[]> {
    const [rows] = await this.done({ op: 'list', group, max: 100 });
    return (rows as readonly Row[]).map(({ key }) => key);
  }

  async log(row: string, log: string, after = 0): Promise<Log | undefined> {
    const [found] = await this.done({ op: 'entries', row, log, after });
    return found as Log | undefined;
  }

  /** The texts of the stored entries of a log. */
  async texts(row: string, log: string): Promise<readonly string[] | undefined> {
    const found = await this.log(row, log);
    return found && (found.entries ?? []).map(({ data }) => data);
  }

  async take(request: Partial<TakeRequest> = {}): Promise<readonly Taken[]> {
    return this.driver.take(takeRequest(request));
  }

  /** Takes rows; their keys. */
  async takeKeys(request: Partial<TakeRequest> = {}): Promise<readonly string[]> {
    return (await this.take(request)).map(({ row }) => row.key);
  }
}

export function doneOf(ran: Ran): readonly OpResult[] {
  if (ran.failed === undefined) return ran.results;
  const group = ran.group === undefined ? '' : ` (group ${ran.group})`;
  throw new Error(`Expected: the run is done. Op ${ran.failed} failed with '${ran.why}'${group}.`);
}

let versions = 0;

/** No other write has it. */
export const newVersion = (): string => `v${++versions}`;

export const put = (key: string, rest: Partial<PutOp> = {}): PutOp => ({
  op: 'put',
  key,
  version: newVersion(),
  ...rest,
});

export const entry = (data: string, chars: number = data.length): NewEntry => ({ data, chars });

/** Appends texts to a log. */
export const append = (row: string, log: string, texts: readonly string[], rest: Partial<AppendOp> = {}): AppendOp => ({
  op: 'append',
  row,
  log,
  entries: texts.map((text) => entry(text)),
  ...rest,
});

export const takeRequest = (request: Partial<TakeRequest> = {}): TakeRequest => ({
  partitions: ['p'],
  queues: ['q'],
  max: 10,
  holder: newVersion(),
  leaseMs: 60_000,
  ...request,
});

/** Checks that it is a row, and returns it. */
export function rowIn(result: OpResult): Row {
  check(typeof result === 'object' && 'version' in result, 'the result is a row');
  return result as Row;
}

/** Checks that it is a log, and returns it. */
export function logIn(result: OpResult): Log {
  check(typeof result === 'object' && 'count' in result, 'the result is a log');
  return result as Log;
}
