/** Moves what the tables of the versions before 8 have into those of the engine, in the form that the parts of a store use. */
import { sharedRunsOf } from '../../store/parts/once.ts';
import { shardOf } from '../../store/parts/runs.ts';
import type { Connection } from '../connection.ts';
import type { Row as SqlRow } from '../database.ts';

/** Runs inside a write transaction. Messages stay where they are. */
export function moveRows(connection: Connection, now: number): void {
  for (const move of [tasks, sessions, runs, others]) connection.exec(move(now));
  placeSharedRuns(connection);
  const usedKeys = 'DELETE FROM used_key WHERE key IN (SELECT key FROM used_key LIMIT ?) RETURNING *';
  moveEach(connection, usedKeys, now, ({ key, owner, expires }) => [
    `used:${shardOf(key as string)}`,
    key,
    '',
    expires,
    [['store', 'used'], ...(owner === '' ? [] : [['store', `used by ${owner as string}`]])],
  ]);
  const slots = 'DELETE FROM slot WHERE (key, lease) IN (SELECT key, lease FROM slot LIMIT ?) RETURNING *';
  moveEach(connection, slots, now, ({ key, lease, until }) => [
    'limits',
    `${(key as string).length} ${key as string}${lease as string}`,
    lease,
    until,
    ['slots', `slot:${key as string}`].map((name) => ['partition limits', name]),
  ]);
  connection.exec(oldTables.map((table) => `DROP TABLE ${table};`).join('\n'));
}

/** How many rows are moved together. */
const batch = 1000;

/** Moves rows whose place only this code can compute: its partition, key, version, expiry, and groups with their homes. */
function moveEach(
  connection: Connection,
  take: string,
  now: number,
  placed: (row: SqlRow) => readonly unknown[],
): void {
  const item =
    'INSERT INTO item (partition, key, version, expiresAt, createdAt, updatedAt, chars) SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?1, ?1, 0 FROM json_each(?2) WHERE value ->> 3 > ?1';
  const member =
    'INSERT INTO member (home, name, number, chars) SELECT g.value ->> 0, g.value ->> 1, i.number, 0 FROM json_each(?) AS r CROSS JOIN json_each(r.value -> 4) AS g CROSS JOIN item AS i ON i.partition = r.value ->> 0 AND i.key = r.value ->> 1';
  for (;;) {
    const rows = connection.sql(take).all(batch);
    if (rows.length === 0) return;
    const json = JSON.stringify(rows.map(placed));
    connection.sql(item).run(now, json);
    connection.sql(member).run(json);
  }
}

function placeSharedRuns(connection: Connection): void {
  for (;;) {
    const rows = connection.sql("SELECT number, key FROM item WHERE partition GLOB 'run:*' LIMIT ?").all(batch);
    if (rows.length === 0) return;
    for (const { number, key } of rows)
      connection
        .sql('UPDATE item SET partition = ? WHERE number = ?')
        .run(sharedRunsOf(key as string), number as number);
  }
}

const oldTables =
  'session log_session log event awaited log_total used_key run run_count run_total bucket slot credential credential_lock consent node task task_entry meta'.split(
    ' ',
  );

/** A task has the number that it had: pages of lists go on where they were. */
const tasks = (now: number): string => `
  INSERT INTO item (number, partition, key, version, createdAt, updatedAt, expiresAt, alias, chars, fields, data)
    SELECT number, 'tasks:' || substr(id, 1, 1), id, CAST(version AS TEXT), createdAt, updatedAt,
      CASE WHEN isOver THEN endsAt END, CASE WHEN keyName IS NOT NULL THEN json_array(owner, keyName) END, length(data),
      json_patch(
        json_object('owner', owner, 'kind', kind, 'life', CAST(endsAt - createdAt AS TEXT)),
        json_object('digest', keyDigest, 'over', CASE WHEN isOver THEN '1' END)
      ), data
    FROM task WHERE NOT isOver OR endsAt > ${now} ORDER BY number;
  INSERT INTO member
    SELECT 'partition ' || i.partition, 'of:' || t.owner, i.number, i.chars,
      row_number() OVER (PARTITION BY i.partition, t.owner ORDER BY i.updatedAt, i.number)
    FROM task AS t JOIN item AS i USING (number);
  INSERT INTO member
    SELECT 'partition ' || i.partition, 'live:' || t.owner, i.number, i.chars,
      row_number() OVER (PARTITION BY i.partition, t.owner ORDER BY i.updatedAt, i.number)
    FROM task AS t JOIN item AS i USING (number) WHERE NOT t.isOver;
  INSERT INTO due
    SELECT number, t.kind, i.partition, t.owner, t.claimableAt
    FROM task AS t JOIN item AS i USING (number) WHERE NOT t.isOver AND t.claimableAt IS NOT NULL;
  INSERT INTO due
    SELECT number, 'ends', i.partition, '', t.endsAt FROM task AS t JOIN item AS i USING (number) WHERE NOT t.isOver;
  INSERT INTO item_log (partition, row, name, count, stored, last, chars, ended, opened, isFollowed, given, writtenAt)
    SELECT i.partition, i.key, 'journal', count(*), count(*), count(*), sum(length(e.data)), 0, i.number, 0, 0, i.updatedAt
    FROM task_entry AS e JOIN item AS i ON i.number = e.task GROUP BY i.number;
  INSERT INTO entry
    SELECT l.id, e.n + 1, length(e.data), e.data
    FROM task_entry AS e JOIN item AS i ON i.number = e.task JOIN item_log AS l ON l.partition = i.partition AND l.row = i.key;
`;

/** Sessions with their streams, and events that are held for a reader. */
const sessions = (now: number): string => `
  DELETE FROM log WHERE session IN (SELECT key FROM session WHERE expires <= ${now});
  DELETE FROM session WHERE expires <= ${now};
  INSERT INTO item (partition, key, version, createdAt, updatedAt, expiresAt, chars, fields)
    SELECT 'session:' || key, 's', '', ${now}, ${now}, expires, 0, fields FROM session;
  INSERT INTO item_log (
    partition, row, name, count, stored, last, chars, ended, opened, mark, isFollowed, given, writtenAt, note
  )
    SELECT 'session:' || session, 's', stream, count, stored,
      coalesce((SELECT max(n) FROM event AS e WHERE e.session = log.session AND e.stream = log.stream), 0), size,
      coalesce(ended, 0), opened + (SELECT coalesce(max(opened), 0) FROM item_log), change, followed, min(given, count), ${now}, note
    FROM log ORDER BY coalesce(ended, opened);
  INSERT INTO entry
    SELECT l.id, e.n, e.size, e.data
    FROM event AS e JOIN item_log AS l ON l.partition = 'session:' || e.session AND l.row = 's' AND l.name = e.stream;
  INSERT INTO item (partition, key, version, createdAt, updatedAt, expiresAt, chars, data)
    SELECT 'session:' || session, 'awaited:' || stream, CAST(n AS TEXT), ${now}, ${now}, until, size, data
    FROM awaited WHERE until > ${now} ORDER BY sequence;
  INSERT INTO member
    SELECT 'partition ' || partition, 'awaited', number, chars, number FROM item WHERE key GLOB 'awaited:*';
  INSERT INTO member
    SELECT 'store', 'awaited', number, chars, number FROM item WHERE key GLOB 'awaited:*';
`;

/** Runs that may happen once. Those without an owner are placed after it. */
const runs = (now: number): string => `
  INSERT INTO item (partition, key, version, createdAt, updatedAt, expiresAt, chars, fields, data)
    SELECT CASE owner WHEN '' THEN 'run:' || key ELSE 'runs:' || owner END, key,
      CASE WHEN lease IS NULL THEN holder || ' ended' ELSE holder END, ${now}, ${now}, expires, coalesce(chars, 0),
      json_patch(
        json_object('digest', digest, 'ttl', CAST(ttl AS TEXT)),
        json_object('ended', CASE WHEN lease IS NULL THEN '1' END)
      ), text
    FROM run WHERE expires > ${now} ORDER BY rowid;
  INSERT INTO member
    SELECT 'store', 'runs', i.number, i.chars, CASE WHEN r.text IS NOT NULL THEN r.ended END
    FROM run AS r JOIN item AS i ON i.key = r.key AND i.partition = CASE r.owner WHEN '' THEN 'run:' || r.key ELSE 'runs:' || r.owner END;
  INSERT INTO member
    SELECT 'partition ' || i.partition, 'own', i.number, i.chars, CASE WHEN r.text IS NOT NULL THEN r.ended END
    FROM run AS r JOIN item AS i ON i.key = r.key AND i.partition = 'runs:' || r.owner WHERE r.owner <> '';
`;

const others = (now: number): string => `
  INSERT INTO token_bucket SELECT 'limits', key, fullAt FROM bucket WHERE fullAt > ${now};
  ${simple(now, 'nodes', 'name', "''", 'until', 'NULL', 'node')}
  ${simple(now, 'consents', 'name', "''", 'expires', 'text', 'consent')}
  ${simple(now, 'credentials', "'lock:' || name", 'holder', 'until', 'NULL', 'credential_lock')}
  INSERT INTO member SELECT 'partition ' || partition, 'all', number, chars, CASE WHEN data IS NOT NULL THEN number END
    FROM item WHERE partition IN ('nodes', 'consents');
  ${simple(now, 'credentials', "'value:' || name", 'version', 'NULL', 'text', 'credential')}
  INSERT INTO member SELECT 'partition credentials', 'values', number, chars, number
    FROM item WHERE partition = 'credentials' AND key GLOB 'value:*';
  INSERT INTO item (partition, key, version, createdAt, updatedAt, chars, data)
    SELECT 'meta', 'marker', '', ${now}, ${now}, length(value), value FROM meta WHERE name = 'marker' AND value <> '';
  UPDATE store SET epoch = (SELECT value FROM meta WHERE name = 'epoch');
`;

const simple = (
  now: number,
  ...[partition, key, version, expires, data, table]: readonly [string, string, string, string, string, string]
): string => `
  INSERT INTO item (partition, key, version, createdAt, updatedAt, expiresAt, chars, data)
    SELECT '${partition}', ${key}, ${version}, ${now}, ${now}, ${expires}, coalesce(length(${data}), 0), ${data}
    FROM ${table} WHERE coalesce(${expires}, ${now} + 1) > ${now};
`;
