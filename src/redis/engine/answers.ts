/** What the scripts of `run` and `take` return, as the contract has it. */

import { decodeText } from '../../driver/unfit-texts.ts';
import type { FailedRun, FailedWhy, Log, Op, OpResult, Ran, Row, Taken } from '../../store/driver.ts';

/** A row, in the order of `shown`. */
type StoredRow = readonly [
  key: string,
  version: string,
  number: number,
  createdAt: number,
  updatedAt: number,
  expiresAt: string | null,
  taken: readonly [queue: string, count: number, at: number] | null,
  /** Names and values. */
  hash: readonly string[],
];

/** A log, in the order of `shownLog`; then, where they were asked for, the number of the first entry, and the entries. */
type StoredLog = readonly (string | number | null)[];

type Failure = readonly [now: number, failed: number, why: FailedWhy, found: unknown];
type Success = readonly [now: number, results: readonly unknown[]];

/** Whether a run has only made room, and is to be called again. */
export const isUnfinished = (answer: unknown): boolean => (answer as Failure | Success)[1] === -1;

export function decodeRun(answer: unknown, ops: readonly Op[]): Ran {
  const [now, second] = answer as Failure | Success;
  if (typeof second === 'number') return decodeFailure(answer as Failure);
  return { now, results: ops.map((op, index) => decodeResult(op, second[index], now)) };
}

function decodeFailure([now, failed, why, found]: Failure): FailedRun {
  if (why === 'full') return { now, failed, why, group: decodeText(found as string) };
  if (why === 'tokens') return { now, failed, why, waitMs: found as number };
  if (why === 'condition' || why === 'alias')
    return { now, failed, why, row: found === null ? undefined : decodeRow(found as StoredRow) };
  return { now, failed, why, log: found === null ? undefined : decodeLog(found as StoredLog) };
}

function decodeResult(op: Op, result: unknown, now: number): OpResult {
  switch (op.op) {
    case 'put': {
      const [number, createdAt, expires] = result as readonly [number, number, string | null];
      const expiresAt = expires === null ? undefined : Number(expires);
      return { key: op.key, version: op.version, fields: {}, number, createdAt, updatedAt: now, expiresAt };
    }
    case 'delete':
      return result === 1;
    case 'get':
      return result === null ? undefined : decodeRow(result as StoredRow);
    case 'list':
      return (result as readonly StoredRow[]).map(decodeRow);
    case 'append':
    case 'entries':
      return result === null ? undefined : decodeLog(result as StoredLog);
    case 'logs':
      return (result as readonly StoredLog[]).map(decodeLog);
    default:
      return undefined;
  }
}

/** The first value is the time. */
export function decodeTaken(answer: unknown, partitions: readonly string[]): readonly [now: number, taken: Taken[]] {
  type StoredTaken = readonly [index: number, row: StoredRow, log: StoredLog | null];
  const [now, ...rows] = answer as readonly [number, ...StoredTaken[]];
  const taken = rows.map(([index, row, log]) => ({
    partition: partitions[index] as string,
    row: decodeRow(row),
    ...(log !== null && { log: decodeLog(log) }),
  }));
  return [now, taken];
}

function decodeRow([key, version, number, createdAt, updatedAt, expires, taken, hash]: StoredRow): Row {
  const fields: Record<string, string> = {};
  let data: string | undefined;
  for (let at = 0; at + 1 < hash.length; at += 2) {
    const [name, value] = [hash[at] as string, hash[at + 1] as string];
    if (name === 'd') data = decodeText(value);
    else if (name.startsWith('.')) defineField(fields, decodeText(name.slice(1)), decodeText(value));
  }
  return {
    key: decodeText(key),
    version: decodeText(version),
    data,
    fields,
    number,
    createdAt,
    updatedAt,
    expiresAt: expires === null ? undefined : Number(expires),
    taken: taken === null ? undefined : { queue: decodeText(taken[0]), count: taken[1], at: taken[2] },
  };
}

/** A field may be called `__proto__`. */
function defineField(fields: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

function decodeLog(values: StoredLog): Log {
  const [name, count, stored, last, chars, ended, mark, note, followed, given, rowChars, rowLogs, first, ...entries] =
    values;
  const from = Number(first);
  return {
    name: decodeText(name as string),
    count: Number(count),
    stored: Number(stored),
    last: Number(last),
    chars: Number(chars),
    ended: Number(ended),
    mark: mark == null ? undefined : Number(mark),
    note: note == null ? undefined : decodeText(note as string),
    isFollowed: followed === 1,
    given: Number(given),
    rowChars: Number(rowChars),
    rowLogs: Number(rowLogs),
    ...(first !== undefined && {
      entries: entries.map((entry, index) => ({ n: from + index, data: dataOf(entry as string) })),
    }),
  };
}

/** After the number of its characters. */
const dataOf = (entry: string): string => decodeText(entry.slice(entry.indexOf(':') + 1));
