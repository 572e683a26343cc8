/** Tasks and their journals, in SQLite. */
import type { NewTask, StoredTask, TaskChange, TaskCreation, TaskPage, TaskStore } from '../store/tasks/task-store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './database.ts';

const columns = 'number, id, owner, kind, data, isOver, version, createdAt, updatedAt, endsAt';

/** `connection` syncs each write: what a worker did is on the disk before it goes on. */
export function createSqliteTasks(connection: Connection, now: () => number): TaskStore {
  const one = (where: string, ...values: readonly (string | number)[]): Row | undefined =>
    connection.sql(`SELECT ${columns} FROM task WHERE ${where}`).get(...values);
  const several = (rest: string, ...values: readonly (string | number)[]): StoredTask[] =>
    connection
      .sql(`SELECT ${columns} FROM task WHERE ${rest}`)
      .all(...values)
      .map(shown);

  const shown = (row: Row): StoredTask => ({
    id: row.id as string,
    owner: row.owner as string,
    kind: row.kind as string,
    data: row.data as string,
    isOver: row.isOver === 1,
    version: Number(row.version),
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    endsAt: Number(row.endsAt),
    now: now(),
  });

  function append(task: number, entries: readonly string[]): void {
    if (entries.length === 0) return;
    const last = connection.sql('SELECT max(n) AS n FROM task_entry WHERE task = ?').get(task)?.n;
    let n = last === null || last === undefined ? 0 : Number(last) + 1;
    for (const entry of entries) connection.sql('INSERT INTO task_entry VALUES (?, ?, ?)').run(task, n++, entry);
  }

  function create({ id, owner, kind, key, data, entries, endsInMs }: NewTask, maxPerOwner: number): TaskCreation {
    const earlier = key && one('owner = ? AND keyName = ?', owner, key.name);
    if (key !== undefined && earlier !== undefined) {
      const digest = connection.sql('SELECT keyDigest FROM task WHERE number = ?').get(Number(earlier.number));
      return digest?.keyDigest === key.digest ? { task: shown(earlier), isNew: false } : 'other-call';
    }
    const live = connection.sql('SELECT count(*) AS live FROM task WHERE owner = ? AND isOver = 0').get(owner);
    if (Number(live?.live) >= maxPerOwner) return 'full';
    const moment = now();
    connection
      .sql(
        'INSERT INTO task (id, owner, kind, keyName, keyDigest, data, isOver, version, createdAt, updatedAt, claimableAt, endsAt) VALUES (?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?)',
      )
      .run(id, owner, kind, key?.name ?? null, key?.digest ?? null, data, moment, moment, moment, moment + endsInMs);
    const made = one('id = ?', id) as Row;
    append(Number(made.number), entries);
    return { task: shown(made), isNew: true };
  }

  function write({ id, version }: StoredTask, change: TaskChange): boolean {
    const { data, claimInMs, endsInMs, isOver, entries } = change;
    const moment = now();
    const claimableAt = claimInMs === undefined ? null : moment + claimInMs;
    const endsAt = endsInMs === undefined ? null : moment + endsInMs;
    const changed = connection
      .sql(
        'UPDATE task SET data = ?, isOver = ?, version = version + 1, updatedAt = ?, claimableAt = ?, endsAt = coalesce(?, endsAt) WHERE id = ? AND version = ? RETURNING number',
      )
      .get(data, isOver ? 1 : 0, moment, claimableAt, endsAt, id, version);
    if (changed === undefined) return false;
    append(Number(changed.number), entries);
    return true;
  }

  function deleteEnded(max: number): number {
    const ended = connection
      .sql('SELECT number FROM task WHERE isOver = 1 AND endsAt <= ? ORDER BY endsAt LIMIT ?')
      .all(now(), max);
    for (const { number } of ended) {
      connection.sql('DELETE FROM task_entry WHERE task = ?').run(Number(number));
      connection.sql('DELETE FROM task WHERE number = ?').run(Number(number));
    }
    return ended.length;
  }

  function list(owner: string, after: string | undefined, max: number): TaskPage {
    const rows = connection
      .sql(`SELECT ${columns} FROM task WHERE owner = ? AND number > ? ORDER BY number LIMIT ?`)
      .all(owner, after === undefined ? 0 : Number(after), max + 1);
    const page = rows.slice(0, max);
    return { tasks: page.map(shown), next: rows.length > max ? String(page.at(-1)?.number) : undefined };
  }

  return {
    create: (task, maxPerOwner) => connection.write(() => create(task, maxPerOwner)),
    write: (task, change) => connection.write(() => write(task, change)),
    deleteEnded: (max) => connection.write(() => deleteEnded(max)),
    read: (id) =>
      connection.read(() => {
        const row = one('id = ?', id);
        return row && shown(row);
      }),
    readJournal: (id, from) =>
      connection.read(() =>
        connection
          .sql(
            'SELECT e.data FROM task_entry e JOIN task t ON t.number = e.task WHERE t.id = ? AND e.n >= ? ORDER BY e.n',
          )
          .all(id, from)
          .map(({ data }) => data as string),
      ),
    claimable: (kinds, max) =>
      connection.read(() =>
        several(
          'kind IN (SELECT value FROM json_each(?)) AND claimableAt <= ? ORDER BY claimableAt, number LIMIT ?',
          JSON.stringify(kinds),
          now(),
          max,
        ),
      ),
    ending: (max) =>
      connection.read(() => several('isOver = 0 AND endsAt <= ? ORDER BY endsAt, number LIMIT ?', now(), max)),
    list: (owner, after, max) => connection.read(() => list(owner, after, max)),
  };
}
