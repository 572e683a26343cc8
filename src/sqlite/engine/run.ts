/** Runs ops on the tables of a SQLite file: first all conditions, then all effects. Every method runs inside a transaction. */
import {
  type AppendOp,
  type FailedRun,
  type FailedWhy,
  type Log,
  type Op,
  type OpResult,
  type Ran,
  roundingMs,
  type TokensOp,
} from '../../store/driver.ts';
import type { Connection } from '../connection.ts';
import { type FoundLog, SqliteLogs } from './logs.ts';
import { type FoundRow, holds, SqliteRows } from './rows.ts';

/** What the conditions found, by the index of the op, until an op changes it. */
interface Findings {
  readonly rows: Map<number, FoundRow | undefined>;
  readonly logs: Map<number, FoundLog>;
}

const bucketOf = 'SELECT fullAt FROM token_bucket WHERE partition = ? AND key = ?';
const lowerBucket = 'UPDATE token_bucket SET fullAt = ? WHERE partition = ? AND key = ?';
const takeTokens =
  'INSERT INTO token_bucket VALUES (?, ?, ?3 + ?4) ON CONFLICT DO UPDATE SET fullAt = max(min(fullAt, ?5), ?3) + ?4';
const deleteFull =
  'DELETE FROM token_bucket WHERE (partition, key) IN (SELECT partition, key FROM token_bucket WHERE fullAt <= ? LIMIT ?)';

/** How many full buckets a new one deletes: more than it adds. */
const sweep = 10;

export class SqliteRuns {
  readonly rows: SqliteRows;
  readonly logs: SqliteLogs;
  readonly #connection: Connection;
  readonly #publish: (topic: string, text: string) => void;

  constructor(connection: Connection, publish: (topic: string, text: string) => void) {
    this.#connection = connection;
    this.#publish = publish;
    this.rows = new SqliteRows(connection);
    this.logs = new SqliteLogs(connection);
  }

  /** A run that only reads; `undefined` if it has something to write. */
  read(partition: string, ops: readonly Op[], now: number): Ran | undefined {
    const results: OpResult[] = [];
    for (const op of ops) {
      if (op.op === 'entries') {
        const found = this.logs.find(partition, op.row, op.log, now);
        if (found.id !== undefined && givenAfter(found.log, op.after) > found.log.given) return undefined;
        results.push(found.id === undefined ? undefined : this.logs.entries(found, op.after));
      } else if (isRead(op)) results.push(this.#read(partition, op, now));
      else return undefined;
    }
    return { now, results };
  }

  run(partition: string, ops: readonly Op[], now: number): Ran {
    const findings: Findings = { rows: new Map(), logs: new Map() };
    const failed = this.#failure(partition, ops, findings, now);
    if (failed !== undefined) return failed;
    return { now, results: ops.map((op, index) => this.#apply(partition, op, index, findings, now)) };
  }

  /** Deletes buckets that are full. */
  deleteFull(now: number, max: number): void {
    this.#connection.sql(deleteFull).run(now, max);
  }

  /** Why a run cannot be done, on the state before it. */
  #failure(partition: string, ops: readonly Op[], findings: Findings, now: number): FailedRun | undefined {
    let longest = 0;
    let longestAt = 0;
    for (const [failed, op] of ops.entries()) {
      if (op.op === 'tokens') {
        const wait = this.#wait(partition, op, now);
        if (wait > longest + roundingMs) [longest, longestAt] = [wait, failed];
        continue;
      }
      // Further buckets may take longer.
      if (longest > 0) continue;
      const refused = this.#refusal(partition, op, failed, findings, now);
      if (refused !== undefined) return { now, failed, ...refused };
    }
    return longest > 0 ? { now, failed: longestAt, why: 'tokens', waitMs: Math.ceil(longest) } : undefined;
  }

  #refusal(
    partition: string,
    op: Op,
    index: number,
    findings: Findings,
    now: number,
  ): Omit<FailedRun, 'now' | 'failed'> | undefined {
    if (op.op === 'append') {
      const found = this.logs.find(partition, op.row, op.log, now);
      findings.logs.set(index, found);
      const log = found.id === undefined ? undefined : found.log;
      const why = appendRefusal(op, log);
      return why && { why, log };
    }
    if (op.op !== 'put' && op.op !== 'delete') return undefined;
    const row = this.rows.find(partition, op.key, now);
    findings.rows.set(index, row);
    if (!holds(op.when, row)) return { why: 'condition', row: row && this.rows.read(partition, op.key, now) };
    if (op.op === 'delete') return undefined;
    const namesake = op.alias === undefined ? undefined : this.rows.readAlias(partition, op.alias, now);
    if (namesake !== undefined && namesake.key !== op.key) return { why: 'alias', row: namesake };
    const group = this.rows.refusing(partition, row, op, now)?.name ?? this.rows.exceeding(partition, op, now);
    return group === undefined ? undefined : { why: 'full', group };
  }

  #apply(partition: string, op: Op, index: number, findings: Findings, now: number): OpResult {
    switch (op.op) {
      case 'put': {
        const found = this.#foundRow(partition, op.key, index, findings, now);
        findings.rows.clear();
        if (op.groups?.some(({ beyond }) => beyond === 'delete-oldest')) findings.logs.clear();
        return this.rows.put(partition, found, op, now);
      }
      case 'delete': {
        const found = this.#foundRow(partition, op.key, index, findings, now);
        findings.rows.clear();
        findings.logs.clear();
        if (found !== undefined) this.rows.delete(found.number);
        return found !== undefined;
      }
      case 'append': {
        const found = findings.logs.get(index) ?? this.logs.find(partition, op.row, op.log, now);
        findings.logs.clear();
        return this.logs.append(partition, op, found, now);
      }
      case 'entries': {
        const found = this.logs.find(partition, op.row, op.log, now);
        if (found.id === undefined) return undefined;
        findings.logs.clear();
        const given = givenAfter(found.log, op.after);
        return this.logs.entries(given > found.log.given ? this.logs.give(found, given) : found, op.after);
      }
      case 'trim':
        findings.logs.clear();
        this.logs.trim(partition, op.row, op.steps, now);
        return undefined;
      case 'tokens':
        this.#connection.sql(takeTokens).run(partition, op.key, now, op.costMs, now + op.fullMs);
        return undefined;
      case 'publish':
        this.#publish(op.topic, op.text);
        return undefined;
      default:
        return this.#read(partition, op, now);
    }
  }

  #read(partition: string, op: Extract<Op, { op: 'get' | 'list' | 'logs' }>, now: number): OpResult {
    if (op.op === 'get') return this.rows.read(partition, op.key, now);
    if (op.op === 'logs') return this.logs.logs(partition, op.row, now);
    return this.rows.list(partition, op.group, op.after ?? 0, op.max, now);
  }

  #foundRow(partition: string, key: string, index: number, { rows }: Findings, now: number): FoundRow | undefined {
    return rows.has(index) ? rows.get(index) : this.rows.find(partition, key, now);
  }

  /** How long until the tokens can be taken: 0 or less if they can. */
  #wait(partition: string, { key, costMs, fullMs }: TokensOp, now: number): number {
    const fullAt = this.#connection.sql(bucketOf).get(partition, key)?.fullAt;
    if (fullAt === undefined) this.deleteFull(now, sweep);
    const latest = now + fullMs;
    // Later than an empty bucket takes: the limit was lowered.
    if (Number(fullAt) > latest) this.#connection.sql(lowerBucket).run(latest, partition, key);
    return Math.max(Math.min(Number(fullAt ?? now), latest), now) + costMs - latest;
  }
}

/** Whether an op changes nothing; `entries` may. */
export const isRead = (op: Op): op is Extract<Op, { op: 'get' | 'list' | 'logs' }> =>
  op.op === 'get' || op.op === 'list' || op.op === 'logs';

/** What a reader has that asks for entries after a number. */
const givenAfter = (log: Log, after: number): number => Math.max(log.given, Math.min(after, log.count));

function appendRefusal({ entries, at, mark }: AppendOp, log: Log | undefined): FailedWhy | undefined {
  if (log !== undefined && log.ended > 0) return 'ended';
  if (mark !== undefined && log?.mark !== undefined && mark <= log.mark) return 'mark';
  const count = log?.count ?? 0;
  if (at !== undefined && at > count + 1) return 'gap';
  if (at !== undefined && at <= count) return 'repeated';
  return log === undefined && entries.length === 0 ? 'absent' : undefined;
}
