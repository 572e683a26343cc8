/** The rows of an engine in memory, with what they have in groups and queues. */
import type { DueEntry, GroupMember, PutOp, Row, When } from '../driver.ts';
import type { RowLogs } from './logs.ts';
import { type Due, Queues } from './queues.ts';
import { TimeSlots } from './time-slots.ts';

/** A stored row. */
export interface MemoryRow {
  readonly partition: Partition;
  readonly key: string;
  readonly number: number;
  readonly createdAt: number;
  readonly alias: string | undefined;
  version: string;
  data: string | undefined;
  /** What the data counts as in groups. */
  chars: number;
  /** Replaced when it changes: readers may have it. */
  fields: Readonly<Record<string, string>>;
  updatedAt: number;
  expiry: { readonly at: number; readonly row: MemoryRow } | undefined;
  groups: readonly Group[];
  /** By queue. */
  due: Map<string, Due<MemoryRow>> | undefined;
  taken: Row['taken'];
}

/** Rows that are counted together, by number. */
export interface Group {
  readonly name: string;
  readonly rows: Map<number, MemoryRow>;
  /** Those with data, the one that was put first is first. */
  readonly texts: Set<MemoryRow>;
  /** Where it is looked up: it goes with its last row. */
  readonly home: Map<string, Group>;
  chars: number;
  /** Whether a row joined after one that was created later. */
  isMixed: boolean;
}

export interface Partition {
  readonly name: string;
  readonly rows: Map<string, MemoryRow>;
  /** Made when they are needed: most partitions have few of them, and many come and go. */
  aliases?: Map<string, MemoryRow>;
  groups?: Map<string, Group>;
  /** By the key of their row. */
  logs?: Map<string, RowLogs>;
}

export class MemoryRows {
  readonly #partitions = new Map<string, Partition>();
  /** Those that are counted over all partitions. */
  readonly #groups = new Map<string, Group>();
  readonly #expiring = new TimeSlots<{ readonly at: number; readonly row: MemoryRow }>();
  readonly #queues = new Queues<MemoryRow>();
  readonly #deleteLogs: (logs: RowLogs) => void;
  #created = 0;
  #empty: Partition | undefined;

  constructor(deleteLogs: (logs: RowLogs) => void) {
    this.#deleteLogs = deleteLogs;
  }

  find(partition: string): Partition | undefined {
    return this.#partitions.get(partition);
  }

  read(partition: string, key: string): Row | undefined {
    const row = this.#partitions.get(partition)?.rows.get(key);
    return row && shownRow(row);
  }

  /** The partition, which is made where there is none: `settle` deletes one that stays empty. */
  use(name: string): Partition {
    const known = this.#partitions.get(name);
    if (known !== undefined) return known;
    const made: Partition = { name, rows: new Map() };
    this.#partitions.set(name, made);
    return made;
  }

  /** The last one that became empty stays: many are used again at once. */
  settle(partition: Partition): void {
    if (!isEmpty(partition) || partition === this.#empty) return;
    const before = this.#empty;
    this.#empty = partition;
    if (before !== undefined && isEmpty(before)) this.#partitions.delete(before.name);
  }

  /** Deletes rows that have expired; returns how many. */
  expire(now: number, max?: number): number {
    const expired = this.#expiring.due(now, max);
    for (const { row } of expired) {
      this.delete(row);
      this.settle(row.partition);
    }
    return expired.length;
  }

  /** The group that a row joins, or the reason why it cannot: beyond its limit it refuses. */
  refusing(partition: Partition, op: PutOp): GroupMember | undefined {
    const row = partition.rows.get(op.key);
    return op.groups?.find((member) => {
      if (member.max === undefined || member.beyond === 'delete-oldest') return false;
      const group = this.#homeOf(partition, member)?.get(member.name);
      return (group?.rows.size ?? 0) >= member.max && (row === undefined || group?.rows.has(row.number) !== true);
    });
  }

  /** The name of a group that has too many characters for a row. */
  exceeding(partition: Partition, { below }: PutOp): string | undefined {
    return below?.find(({ group, chars }) => (partition.groups?.get(group)?.chars ?? 0) >= chars)?.group;
  }

  put(partition: Partition, op: PutOp, now: number): MemoryRow {
    const row = partition.rows.get(op.key) ?? this.#create(partition, op, now);
    row.version = op.version;
    row.updatedAt = now;
    row.taken = undefined;
    if (op.fields !== undefined) mergeFields(row, op.fields);
    if (op.expiresInMs !== undefined) this.#expireAt(row, now + op.expiresInMs);
    if (op.data !== undefined) setData(row, op.data, op.chars ?? op.data.length);
    if (op.groups !== undefined) this.#join(row, op.groups);
    for (const due of op.due ?? []) this.#queue(row, due, now);
    return row;
  }

  delete(row: MemoryRow): void {
    const { partition, key, alias, expiry } = row;
    partition.rows.delete(key);
    if (alias !== undefined && partition.aliases?.get(alias) === row) partition.aliases.delete(alias);
    if (expiry !== undefined) this.#expiring.delete(expiry);
    for (const group of row.groups) leave(group, row);
    for (const [queue, due] of row.due ?? []) this.#queues.delete(nameIn(partition.name, queue), due);
    const logs = partition.logs?.get(key);
    if (logs === undefined) return;
    this.#deleteLogs(logs);
    partition.logs?.delete(key);
  }

  list(partition: Partition | undefined, name: string, after: number, max: number): MemoryRow[] {
    const found: MemoryRow[] = [];
    for (const row of ordered(partition?.groups?.get(name))) {
      if (row.number <= after) continue;
      if (found.length === max) break;
      found.push(row);
    }
    return found;
  }

  /** The row whose turn it is, and the queue that it is due in. */
  take(
    places: readonly { readonly name: string; readonly queue: string }[],
    now: number,
  ): { readonly row: MemoryRow; readonly queue: string } | undefined {
    const next = this.#queues.next(places, now);
    return next && { row: next.due.row, queue: next.place.queue };
  }

  /** Gives a row to a holder, until its lease ends. */
  lease(row: MemoryRow, queue: string, holder: string, leaseMs: number, now: number): void {
    const lane = row.due?.get(queue)?.lane.name ?? '';
    row.version = holder;
    row.taken = { queue, count: (row.taken?.queue === queue ? row.taken.count : 0) + 1, at: now };
    this.#queue(row, { queue, lane, inMs: leaseMs }, now);
  }

  clear(): void {
    this.#empty = undefined;
    this.#partitions.clear();
    this.#groups.clear();
    this.#expiring.clear();
    this.#queues.clear();
  }

  #create(partition: Partition, { key, alias, version }: PutOp, now: number): MemoryRow {
    const row: MemoryRow = {
      partition,
      key,
      number: ++this.#created,
      createdAt: now,
      alias,
      version,
      data: undefined,
      chars: 0,
      fields: noFields,
      updatedAt: now,
      expiry: undefined,
      groups: [],
      due: undefined,
      taken: undefined,
    };
    partition.rows.set(key, row);
    if (alias !== undefined) (partition.aliases ??= new Map()).set(alias, row);
    return row;
  }

  #expireAt(row: MemoryRow, at: number): void {
    if (row.expiry !== undefined) this.#expiring.delete(row.expiry);
    row.expiry = { at, row };
    this.#expiring.add(row.expiry);
  }

  #homeOf(partition: Partition, { scope }: GroupMember): Map<string, Group> | undefined {
    return scope === 'store' ? this.#groups : partition.groups;
  }

  #join(row: MemoryRow, members: readonly GroupMember[]): void {
    const joined = members.map((member) => {
      const home = this.#homeOf(row.partition, member) ?? (row.partition.groups = new Map<string, Group>());
      const group = home.get(member.name) ?? {
        name: member.name,
        home,
        rows: new Map(),
        texts: new Set<MemoryRow>(),
        chars: 0,
        isMixed: false,
      };
      home.set(member.name, group);
      return group;
    });
    for (const group of row.groups) if (!joined.includes(group)) leave(group, row);
    for (const group of joined) {
      if (group.rows.has(row.number)) continue;
      if (group.rows.size > 0 && row.number < this.#created) group.isMixed = true;
      group.rows.set(row.number, row);
      group.chars += row.chars;
      if (row.data !== undefined) group.texts.add(row);
    }
    row.groups = joined;
    for (const [index, member] of members.entries()) this.#limit(joined[index] as Group, member, row);
  }

  /** Makes room in a group for a row that has joined it. */
  #limit(group: Group, { max = Infinity, maxChars = Infinity, beyond }: GroupMember, newest: MemoryRow): void {
    if (beyond === 'delete-oldest' && group.rows.size > max)
      for (const row of ordered(group)) {
        if (group.rows.size <= max) break;
        if (row !== newest) this.delete(row);
      }
    for (const row of group.texts) {
      if (group.chars <= maxChars) return;
      if (row !== newest) setData(row, undefined, 0);
    }
  }

  #queue(row: MemoryRow, { queue, inMs, lane }: DueEntry, now: number): void {
    const name = nameIn(row.partition.name, queue);
    const before = row.due?.get(queue);
    if (before !== undefined) this.#queues.delete(name, before);
    if (inMs === undefined) return void row.due?.delete(queue);
    row.due ??= new Map();
    row.due.set(queue, this.#queues.add(name, lane ?? before?.lane.name ?? '', row, now + inMs, now));
  }
}

const isEmpty = ({ rows, logs }: Partition): boolean => rows.size === 0 && (logs === undefined || logs.size === 0);

/** Whether a condition holds for the row that was found. */
export function holds(when: When | undefined, row: MemoryRow | undefined): boolean {
  if (when === undefined) return true;
  if (when === 'absent') return row === undefined;
  if (when === 'present') return row !== undefined;
  return 'version' in when ? row?.version === when.version : row === undefined || row.version === when.absentOr;
}

/** A copy: what is stored changes. */
export const shownRow = (row: MemoryRow): Row => ({
  key: row.key,
  version: row.version,
  data: row.data,
  fields: row.fields,
  number: row.number,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  expiresAt: row.expiry?.at,
  taken: row.taken,
});

/** Without data and fields. */
export const shownTimes = (row: MemoryRow): Row => ({
  key: row.key,
  version: row.version,
  data: undefined,
  fields: noFields,
  number: row.number,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  expiresAt: row.expiry?.at,
  taken: row.taken,
});

const noFields: Row['fields'] = {};

function mergeFields(row: MemoryRow, fields: Readonly<Record<string, string | null>>): void {
  let merged: Record<string, string> | undefined;
  for (const name in fields) {
    merged ??= { ...row.fields };
    const value = fields[name];
    if (value === null || value === undefined) delete merged[name];
    else merged[name] = value;
  }
  if (merged !== undefined) row.fields = merged;
}

function setData(row: MemoryRow, data: string | undefined, chars: number): void {
  for (const group of row.groups) {
    group.chars += chars - row.chars;
    group.texts.delete(row);
    if (data !== undefined) group.texts.add(row);
  }
  row.data = data;
  row.chars = chars;
}

function leave(group: Group, row: MemoryRow): void {
  if (group.rows.delete(row.number)) group.chars -= row.chars;
  group.texts.delete(row);
  if (group.rows.size === 0 && group.home.get(group.name) === group) group.home.delete(group.name);
}

/** The rows of a group in the order of their creation. */
function ordered(group: Group | undefined): Iterable<MemoryRow> {
  if (group === undefined) return [];
  return group.isMixed ? [...group.rows.values()].sort((one, other) => one.number - other.number) : group.rows.values();
}

/** The length ends the partition, whatever characters it has. */
export const nameIn = (partition: string, name: string): string => `${partition.length} ${partition}${name}`;
