/** Tasks and their journals, in SQLite. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import type { NewTask, StoredTask, TaskChange, TaskCreation, TaskPage, TaskStore } from '../store/tasks/task-store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './database.ts';

const columns = 'number, id, owner, kind, data, isOver, version, createdAt, updatedAt, endsAt';

export class SqliteTasks implements TaskStore {
  readonly #connection: Connection;
  readonly #now: () => number;

  /** `connection` syncs each write: what a worker did is on the disk before it goes on. */
  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  create(task: NewTask, maxPerOwner: number): MaybePromise<TaskCreation> {
    return this.#connection.write(() => this.#create(task, maxPerOwner));
  }

  read(id: string): MaybePromise<StoredTask | undefined> {
    return this.#connection.read(() => this.#several('id = ?', id)[0]);
  }

  write(task: StoredTask, change: TaskChange): MaybePromise<boolean> {
    return this.#connection.write(() => this.#write(task, change));
  }

  readJournal(id: string, from: number): MaybePromise<readonly string[]> {
    const select =
      'SELECT e.data FROM task_entry e JOIN task t ON t.number = e.task WHERE t.id = ? AND e.n >= ? ORDER BY e.n';
    return this.#connection.read(() =>
      this.#connection
        .sql(select)
        .all(id, from)
        .map(({ data }) => data as string),
    );
  }

  claimable(kinds: readonly string[], max: number): MaybePromise<readonly StoredTask[]> {
    const where = 'kind IN (SELECT value FROM json_each(?)) AND claimableAt <= ? ORDER BY claimableAt, number LIMIT ?';
    return this.#connection.read(() => this.#several(where, JSON.stringify(kinds), this.#now(), max));
  }

  ending(max: number): MaybePromise<readonly StoredTask[]> {
    const where = 'isOver = 0 AND endsAt <= ? ORDER BY endsAt, number LIMIT ?';
    return this.#connection.read(() => this.#several(where, this.#now(), max));
  }

  list(owner: string, after: string | undefined, max: number): MaybePromise<TaskPage> {
    return this.#connection.read(() => {
      const from = after === undefined ? 0 : Number(after);
      const rows = this.#rows('owner = ? AND number > ? ORDER BY number LIMIT ?', owner, from, max + 1);
      const page = rows.slice(0, max);
      const next = rows.length > max ? String(page.at(-1)?.number) : undefined;
      return { tasks: page.map((row) => this.#shown(row)), next };
    });
  }

  deleteEnded(max: number): MaybePromise<number> {
    const select = 'SELECT number FROM task WHERE isOver = 1 AND endsAt <= ? ORDER BY endsAt LIMIT ?';
    return this.#connection.write(() => {
      const ended = this.#connection.sql(select).all(this.#now(), max);
      for (const { number } of ended) {
        this.#connection.sql('DELETE FROM task_entry WHERE task = ?').run(Number(number));
        this.#connection.sql('DELETE FROM task WHERE number = ?').run(Number(number));
      }
      return ended.length;
    });
  }

  #create({ id, owner, kind, key, data, entries, endsInMs }: NewTask, maxPerOwner: number): TaskCreation {
    const [earlier] = key === undefined ? [] : this.#several('owner = ? AND keyName = ?', owner, key.name);
    if (earlier !== undefined) {
      const found = this.#connection.sql('SELECT keyDigest FROM task WHERE id = ?').get(earlier.id);
      return found?.keyDigest === key?.digest ? { task: earlier, isNew: false } : 'other-call';
    }
    const live = this.#connection.sql('SELECT count(*) AS live FROM task WHERE owner = ? AND isOver = 0').get(owner);
    if (Number(live?.live) >= maxPerOwner) return 'full';
    const now = this.#now();
    const insert =
      'INSERT INTO task (id, owner, kind, keyName, keyDigest, data, isOver, version, createdAt, updatedAt, claimableAt, endsAt) VALUES (?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?) RETURNING number';
    const made = this.#connection
      .sql(insert)
      .get(id, owner, kind, key?.name ?? null, key?.digest ?? null, data, now, now, now, now + endsInMs);
    this.#append(Number(made?.number), entries);
    return { task: this.#several('id = ?', id)[0] as StoredTask, isNew: true };
  }

  #write(
    { id, version }: StoredTask,
    { version: next = version + 1, data, claimInMs, endsInMs, isOver, entries }: TaskChange,
  ): boolean {
    const now = this.#now();
    const claimableAt = claimInMs === undefined ? null : now + claimInMs;
    const endsAt = endsInMs === undefined ? null : now + endsInMs;
    const update =
      'UPDATE task SET data = ?, isOver = ?, version = ?, updatedAt = ?, claimableAt = ?, endsAt = coalesce(?, endsAt) WHERE id = ? AND version = ? RETURNING number';
    const changed = this.#connection.sql(update).get(data, isOver ? 1 : 0, next, now, claimableAt, endsAt, id, version);
    if (changed === undefined) return false;
    this.#append(Number(changed.number), entries);
    return true;
  }

  #append(task: number, entries: readonly string[]): void {
    if (entries.length === 0) return;
    const count = this.#connection.sql('SELECT count(*) AS n FROM task_entry WHERE task = ?').get(task)?.n;
    let n = Number(count);
    for (const entry of entries) this.#connection.sql('INSERT INTO task_entry VALUES (?, ?, ?)').run(task, n++, entry);
  }

  #rows(where: string, ...values: readonly (string | number)[]): readonly Row[] {
    return this.#connection.sql(`SELECT ${columns} FROM task WHERE ${where}`).all(...values);
  }

  #several(where: string, ...values: readonly (string | number)[]): StoredTask[] {
    return this.#rows(where, ...values).map((row) => this.#shown(row));
  }

  #shown(row: Row): StoredTask {
    return {
      id: row.id as string,
      owner: row.owner as string,
      kind: row.kind as string,
      data: row.data as string,
      isOver: row.isOver === 1,
      version: Number(row.version),
      createdAt: Number(row.createdAt),
      updatedAt: Number(row.updatedAt),
      endsAt: Number(row.endsAt),
      now: this.#now(),
    };
  }
}
