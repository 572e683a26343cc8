/** An engine in PostgreSQL, which servers on many machines can share. A run is one call of a function in the database. */
import { Preparation } from '../driver/preparation.ts';
import { risingClock, SeenClock } from '../lib/time/rising-clock.ts';
import { checkOps } from '../store/check-ops.ts';
import type { FailedRun, Op, OpResult, PutOp, Ran, StoreDriver, Taken, TakeRequest } from '../store/driver.ts';
import { type Durability, requireDurability } from '../store/durability.ts';
import { readAddress } from './address.ts';
import { PostgresBus } from './bus.ts';
import { Connections, type Statement } from './connections.ts';
import { expiryByWrites } from './expiry.ts';
import { isSchemaMissing } from './failures.ts';
import { fromJson, toJson } from './json-texts.ts';
import { hiddenName, indexed } from './names.ts';
import { type Run, RunQueue } from './run-queue.ts';
import { inSchema, openSchema } from './schema.ts';

/** How long PostgreSQL may take. */
export interface PostgresTimeouts {
  /** For one command; then it fails with `store-timeout`. Default 5000. */
  readonly commandMs?: number;
  /** For connecting, and for waiting until a connection is not in use. Default 5000. */
  readonly connectMs?: number;
}

/** Options of `openPostgresDriver`. */
export interface PostgresDriverOptions {
  /** The schema that has the tables and functions of the store. It is made where there is none. Default `tenon`. */
  readonly schema?: string;
  /** How many connections there are for runs; one more is for messages. Default 10. */
  readonly maxConnections?: number;
  /**
   * What PostgreSQL must give: `disk` needs `fsync`, `full_page_writes` and `synchronous_commit`. With less, opening fails
   * with `store-not-durable`. Default: whatever PostgreSQL is set to; `durability` of the store is that.
   */
  readonly durability?: 'process' | 'disk';
  readonly timeouts?: PostgresTimeouts;
  /** Called with what fails in the background, such as the loss of a connection, which is made again. */
  readonly onError?: (error: unknown) => void;
  /** The clock, in milliseconds since the Unix epoch. Default that of PostgreSQL, which all nodes share. */
  readonly now?: () => number;
  /** Called after every connection that follows a loss, and before anything else runs. */
  readonly prepare?: (run: StoreDriver['run']) => Promise<void> | void;
}

/** Opens an engine in PostgreSQL 12 or newer, at a URL such as `postgres://user:password@localhost:5432/database`. */
export async function openPostgresDriver(url: string, options: PostgresDriverOptions = {}): Promise<StoreDriver> {
  const { schema = 'tenon', maxConnections = 10, timeouts = {} } = options;
  const { commandMs = 5000, connectMs = 5000 } = timeouts;
  const limits = { commandMs, connectMs, maxConnections };
  const engine: { driver?: PostgresDriver } = {};
  const connections = await Connections.open(readAddress(url), limits, (error) => {
    engine.driver?.lost();
    options.onError?.(error);
  });
  const bus = new PostgresBus(connections, schema, (error) => options.onError?.(error));
  engine.driver = new PostgresDriver(connections, bus, schema, options);
  try {
    await bus.open(connectMs);
    await engine.driver.ready();
  } catch (error) {
    await engine.driver.close();
    throw error;
  }
  return engine.driver;
}

class PostgresDriver implements StoreDriver {
  readonly name = 'postgres';
  readonly #connections: Connections;
  readonly #bus: PostgresBus;
  readonly #schema: string;
  readonly #options: PostgresDriverOptions;
  readonly #queue: RunQueue;
  readonly #statements: Readonly<Record<FunctionName, Statement>>;
  readonly #preparation = new Preparation(() => this.#prepare());
  readonly #wrote = expiryByWrites(async (how, max) => {
    try {
      await this.#remove(how, max);
    } catch (error) {
      if (!this.#isClosed) this.#options.onError?.(error);
    }
  });
  #isClosed = false;
  #durability: Durability = 'unknown';
  #epoch = '';
  /** What time it is in PostgreSQL at least: its clock may be set back. */
  readonly #seen = new SeenClock();
  readonly #now: (() => number) | undefined;

  constructor(connections: Connections, bus: PostgresBus, schema: string, options: PostgresDriverOptions) {
    this.#connections = connections;
    this.#bus = bus;
    this.#schema = schema;
    this.#options = options;
    this.#now = options.now && risingClock(options.now);
    this.#queue = new RunQueue((partition, runs) => this.#send(partition, runs, true));
    const statement = (name: string, call: string): Statement => ({
      name,
      text: inSchema(`SELECT tenon.${call} AS value`, schema),
    });
    this.#statements = {
      run: statement('run', 'run($1, $2, $3, $4, $5, $6)'),
      take: statement('take', 'take($1, $2, $3)'),
      sweep: statement('sweep', 'sweep($1, $2, $3)'),
      expire: statement('expire', 'expire($1, $2, $3)'),
    };
  }

  get durability(): Durability {
    return this.#durability;
  }

  get epoch(): string {
    return this.#epoch;
  }

  ready(): Promise<void> {
    return this.#preparation.ready();
  }

  lost(): void {
    this.#preparation.lost();
  }

  async run(partition: string, ops: readonly Op[], sync: Run['sync'] = 'disk'): Promise<Ran> {
    checkOps(ops);
    await this.ready();
    return this.#run(partition, { ops, sync });
  }

  async take(request: TakeRequest): Promise<readonly Taken[]> {
    await this.ready();
    const names = new Map(request.partitions.map((partition) => [indexed(partition), partition]));
    const named = toJson({ ...request, partitions: [...names.keys()], queues: [...new Set(request.queues)] });
    const taken = (await this.#call('take', [named, ...this.#clock()])) as readonly Taken[];
    return taken.map((one) => ({ ...one, partition: names.get(one.partition) ?? one.partition }));
  }

  subscribe(topic: string, onMessage: (text: string) => void, onMissed?: () => void): () => void {
    return this.#bus.subscribe(topic, onMessage, onMissed);
  }

  async sweep(max: number): Promise<number> {
    await this.ready();
    return this.#remove('sweep', max);
  }

  async #remove(how: 'expire' | 'sweep', max: number): Promise<number> {
    let removed = 0;
    while (removed < max) {
      const most = Math.min(max - removed, removedAtOnce);
      const deleted = Number(await this.#call(how, [most, ...this.#clock()]));
      removed += deleted;
      if (deleted < most) break;
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#bus.close();
    await this.#connections.close();
  }

  async #prepare(): Promise<void> {
    const { epoch, durability } = await openSchema(this.#connections, this.#schema);
    const needed = this.#options.durability;
    if (needed !== undefined)
      requireDurability({ name: 'postgres', durability }, { option: 'durability', durability: needed });
    this.#epoch = epoch;
    this.#durability = durability;
    await this.#options.prepare?.((partition, ops, sync = 'disk') => this.#run(partition, { ops, sync }));
  }

  async #run(partition: string, run: Run): Promise<Ran> {
    const { ops } = run;
    const ran = isRead(ops)
      ? ((await this.#send(partition, [run], false))[0] as Ran)
      : await this.#queue.run(partition, run);
    this.#wrote(ops);
    if (ran.failed === undefined) for (const op of ops) if (op.op === 'publish') this.#bus.publish(op.topic, op.text);
    return ran;
  }

  async #send(partition: string, runs: readonly Run[], locks: boolean): Promise<readonly Ran[]> {
    const writes = runs.some(({ ops }) => ops.some(({ op }) => writing.has(op)));
    const isQuick = runs.every(({ sync }) => sync === 'process');
    const request = { partition: indexed(partition), keys: keysOf(runs), runs: runs.map(({ ops }) => ops.map(sent)) };
    const answer = await this.#call('run', [toJson(request), ...this.#clock(), locks, writes, isQuick]);
    return (answer as readonly Ran[]).map((ran, at) => this.#read(ran, runs[at]?.ops ?? []));
  }

  #read(ran: Ran, ops: readonly Op[]): Ran {
    this.#seen.saw(ran.now);
    if (ran.failed !== undefined) return ran.group === undefined ? ran : { ...ran, group: fullGroup(ran, ops) };
    return { ...ran, results: ran.results.map((result) => (result as OpResult | null) ?? undefined) };
  }

  async #call(name: FunctionName, values: readonly unknown[]): Promise<unknown> {
    try {
      const [row] = await this.#connections.query(this.#statements[name], values);
      return fromJson(row?.value as string);
    } catch (error) {
      if (isSchemaMissing(error)) this.lost();
      throw error;
    }
  }

  /** The time of the process, where it decides, and the furthest that it has seen. */
  #clock(): readonly [given: number | null, seen: number] {
    return this.#now === undefined ? [null, this.#seen.least()] : [this.#now(), 0];
  }
}

/** Rows that one transaction deletes. */
const removedAtOnce = 100;

type FunctionName = 'run' | 'take' | 'sweep' | 'expire';

const writing: ReadonlySet<Op['op']> = new Set(['put', 'delete', 'append', 'trim', 'tokens']);

/** One statement reads one state: such a run needs no lock, and waits for no other. */
const isRead = (ops: readonly Op[]): boolean => ops.length === 1 && (ops[0]?.op === 'get' || ops[0]?.op === 'list');

/** The rows that runs name: those that have expired are deleted before. */
function keysOf(runs: readonly Run[]): readonly string[] {
  const keys = new Set<string>();
  for (const op of runs.flatMap(({ ops }) => ops)) {
    if ('row' in op) keys.add(indexed(op.row));
    else if ('key' in op && op.op !== 'tokens') keys.add(indexed(op.key));
  }
  return [...keys];
}

/** The group that is full, as the op names it. */
function fullGroup({ failed, group }: FailedRun, ops: readonly Op[]): string | undefined {
  const op = ops[failed];
  if (op?.op !== 'put') return group;
  const names = [...(op.groups ?? []).map(({ name }) => name), ...(op.below ?? []).map((below) => below.group)];
  return names.find((name) => indexed(name) === group) ?? group;
}

/** An op as the functions read it. Messages do not go through the run. */
function sent(op: Op): unknown {
  if (op.op === 'publish') return { op: op.op };
  if ('row' in op) return { ...op, row: indexed(op.row) };
  if (op.op === 'list') return { ...op, group: indexed(op.group) };
  return op.op === 'put' ? sentPut(op) : { ...op, key: indexed(op.key) };
}

function sentPut(op: PutOp): unknown {
  const chars = op.chars ?? op.data?.length;
  // A group of the whole store would be one lock for all partitions.
  const groups = op.groups
    ?.filter(({ scope }) => scope !== 'store')
    .map((group) => ({ ...group, name: indexed(group.name) }));
  return {
    ...op,
    key: indexed(op.key),
    fullKey: hiddenName(op.key),
    alias: op.alias === undefined ? undefined : indexed(op.alias),
    due: op.due?.map((entry) => (entry.lane === undefined ? entry : { ...entry, lane: indexed(entry.lane) })),
    chars,
    groups,
    below: op.below?.map(({ group, chars }) => ({ group: indexed(group), chars })),
    joined: groups && [...new Set(groups.map(({ name }) => name))],
    isCapped: groups?.some(({ max, beyond }) => max !== undefined && beyond !== 'delete-oldest') || undefined,
    isLimited:
      groups?.some(({ beyond, maxChars }) => beyond === 'delete-oldest' || maxChars !== undefined) || undefined,
  };
}
