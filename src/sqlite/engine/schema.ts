/** The tables of the SQLite engine. Triggers count and clean up, so that one statement deletes a row with all that belongs to it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { looseLogMs } from '../../store/driver.ts';
import type { Connection } from '../connection.ts';
import { migrations } from '../schema.ts';
import { logOverhead } from './logs.ts';
import { moveRows } from './migration.ts';

/** Deletes the logs of a row that has not existed for long: a new row, or a new log, does not bring them back. */
const deleteLoose = (row: string, now: string): string =>
  `DELETE FROM item_log WHERE partition = new.partition AND row = ${row} AND EXISTS (
      SELECT 1 FROM item_logs WHERE partition = new.partition AND row = ${row} AND isLoose = 1 AND writtenAt <= ${now} - ${looseLogMs}
    );`;

/** Rows, their groups and queues. `home` is where a group is: the whole store, or a partition. */
const itemTables = `
  CREATE TABLE store (epoch TEXT NOT NULL, clock REAL NOT NULL, turns INTEGER NOT NULL, logChars INTEGER NOT NULL);
  INSERT INTO store VALUES (lower(hex(randomblob(16))), 0, 0, 0);

  CREATE TABLE item (
    number INTEGER PRIMARY KEY AUTOINCREMENT, partition TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL,
    createdAt REAL NOT NULL, updatedAt REAL NOT NULL, expiresAt REAL, alias TEXT,
    takenQueue TEXT, takenCount INTEGER, takenAt REAL, chars INTEGER NOT NULL, fields TEXT, data TEXT
  );
  CREATE UNIQUE INDEX item_key ON item (partition, key);
  CREATE INDEX item_alias ON item (partition, alias) WHERE alias IS NOT NULL;
  CREATE INDEX item_expires ON item (expiresAt) WHERE expiresAt IS NOT NULL;
  CREATE TRIGGER item_added AFTER INSERT ON item
    WHEN EXISTS (SELECT 1 FROM item_logs WHERE partition = new.partition AND row = new.key) BEGIN
    ${deleteLoose('new.key', 'new.createdAt')}
    UPDATE item_logs SET isLoose = 0 WHERE partition = new.partition AND row = new.key;
  END;
  CREATE TRIGGER item_deleted AFTER DELETE ON item BEGIN
    DELETE FROM member WHERE number = old.number;
    DELETE FROM due WHERE number = old.number;
    DELETE FROM item_log WHERE partition = old.partition AND row = old.key;
  END;

  CREATE TABLE member (
    home TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, chars INTEGER NOT NULL, text INTEGER,
    PRIMARY KEY (home, name, number)
  ) WITHOUT ROWID;
  CREATE INDEX member_number ON member (number);
  CREATE INDEX member_text ON member (home, name, text) WHERE text IS NOT NULL;
  CREATE TABLE member_count (
    home TEXT NOT NULL, name TEXT NOT NULL, rows INTEGER NOT NULL, chars INTEGER NOT NULL, PRIMARY KEY (home, name)
  ) WITHOUT ROWID;
  CREATE TRIGGER member_added AFTER INSERT ON member BEGIN
    INSERT INTO member_count VALUES (new.home, new.name, 1, new.chars)
      ON CONFLICT DO UPDATE SET rows = rows + 1, chars = chars + excluded.chars;
  END;
  CREATE TRIGGER member_changed AFTER UPDATE OF chars ON member WHEN new.chars <> old.chars BEGIN
    UPDATE member_count SET chars = chars + new.chars - old.chars WHERE home = new.home AND name = new.name;
  END;
  CREATE TRIGGER member_deleted AFTER DELETE ON member BEGIN
    UPDATE member_count SET rows = rows - 1, chars = chars - old.chars WHERE home = old.home AND name = old.name;
    DELETE FROM member_count WHERE home = old.home AND name = old.name AND rows = 0;
  END;

  CREATE TABLE due (
    number INTEGER NOT NULL, queue TEXT NOT NULL, partition TEXT NOT NULL, lane TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (number, queue)
  ) WITHOUT ROWID;
  CREATE INDEX due_lane ON due (partition, queue, lane, at, number);
  CREATE TABLE lane (
    id INTEGER PRIMARY KEY, partition TEXT NOT NULL, queue TEXT NOT NULL, name TEXT NOT NULL, at REAL NOT NULL, turn INTEGER
  );
  CREATE UNIQUE INDEX lane_name ON lane (partition, queue, name);
  CREATE INDEX lane_turn ON lane (partition, queue, turn) WHERE turn IS NOT NULL;
  CREATE INDEX lane_later ON lane (partition, queue, at) WHERE turn IS NULL;
  CREATE TRIGGER due_added AFTER INSERT ON due BEGIN
    INSERT INTO lane (partition, queue, name, at) VALUES (new.partition, new.queue, new.lane, new.at)
      ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at < at;
  END;
  CREATE TRIGGER due_changed AFTER UPDATE ON due BEGIN
    INSERT INTO lane (partition, queue, name, at) VALUES (new.partition, new.queue, new.lane, new.at)
      ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at < at;
    DELETE FROM lane WHERE old.lane <> new.lane AND partition = old.partition AND queue = old.queue AND name = old.lane
      AND NOT EXISTS (SELECT 1 FROM due WHERE partition = old.partition AND queue = old.queue AND lane = old.lane);
  END;
  CREATE TRIGGER due_deleted AFTER DELETE ON due BEGIN
    DELETE FROM lane WHERE partition = old.partition AND queue = old.queue AND name = old.lane
      AND NOT EXISTS (SELECT 1 FROM due WHERE partition = old.partition AND queue = old.queue AND lane = old.lane);
  END;
`;

/** Logs. `opened` and `ended` are orders. */
const logTables = `
  CREATE TABLE item_log (
    id INTEGER PRIMARY KEY, partition TEXT NOT NULL, row TEXT NOT NULL, name TEXT NOT NULL,
    count INTEGER NOT NULL, stored INTEGER NOT NULL, last INTEGER NOT NULL, chars INTEGER NOT NULL,
    ended INTEGER NOT NULL, opened INTEGER, mark REAL, isFollowed INTEGER NOT NULL, given INTEGER NOT NULL,
    writtenAt REAL NOT NULL, note TEXT
  );
  CREATE UNIQUE INDEX item_log_name ON item_log (partition, row, name);
  CREATE INDEX item_log_ended ON item_log (ended) WHERE ended > 0;
  CREATE INDEX item_log_opened ON item_log (opened) WHERE opened IS NOT NULL;
  CREATE TABLE entry (
    log INTEGER NOT NULL, n INTEGER NOT NULL, chars INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (log, n)
  ) WITHOUT ROWID;
  CREATE TABLE item_logs (
    partition TEXT NOT NULL, row TEXT NOT NULL, chars INTEGER NOT NULL, logs INTEGER NOT NULL,
    writtenAt REAL NOT NULL, isLoose INTEGER NOT NULL, PRIMARY KEY (partition, row)
  ) WITHOUT ROWID;
  CREATE INDEX item_logs_loose ON item_logs (writtenAt) WHERE isLoose = 1;
  CREATE TRIGGER item_log_begins BEFORE INSERT ON item_log BEGIN
    DELETE FROM item WHERE partition = new.partition AND key = new.row AND expiresAt <= new.writtenAt;
    ${deleteLoose('new.row', 'new.writtenAt')}
  END;
`;

/**
 * Counts for each row and, since version 9, for the shares of the store. Logs that version 8 wrote have no share: they go
 * with their sessions and tasks.
 */
const logShares = `
  DROP TRIGGER IF EXISTS item_log_added;
  DROP TRIGGER IF EXISTS item_log_changed;
  DROP TRIGGER IF EXISTS item_log_deleted;
  ALTER TABLE item_log ADD COLUMN share TEXT;
  CREATE INDEX item_log_share ON item_log (share, ended, opened) WHERE share IS NOT NULL;
  UPDATE store SET logChars = 0;
  CREATE TRIGGER item_log_added AFTER INSERT ON item_log BEGIN
    INSERT INTO item_logs VALUES (
      new.partition, new.row, new.chars, 1, new.writtenAt,
      NOT EXISTS (SELECT 1 FROM item WHERE partition = new.partition AND key = new.row)
    ) ON CONFLICT DO UPDATE SET chars = chars + excluded.chars, logs = logs + 1, writtenAt = excluded.writtenAt;
    UPDATE store SET logChars = logChars + ${logOverhead} + new.chars WHERE new.share IS NOT NULL;
  END;
  CREATE TRIGGER item_log_changed AFTER UPDATE OF chars ON item_log BEGIN
    UPDATE item_logs SET chars = chars + new.chars - old.chars, writtenAt = max(writtenAt, new.writtenAt)
      WHERE partition = new.partition AND row = new.row;
    UPDATE store SET logChars = logChars + new.chars - old.chars WHERE new.share IS NOT NULL;
  END;
  CREATE TRIGGER item_log_deleted AFTER DELETE ON item_log BEGIN
    DELETE FROM entry WHERE log = old.id;
    UPDATE item_logs SET chars = chars - old.chars, logs = logs - 1 WHERE partition = old.partition AND row = old.row;
    DELETE FROM item_logs WHERE partition = old.partition AND row = old.row AND logs = 0;
    UPDATE store SET logChars = logChars - ${logOverhead} - old.chars WHERE old.share IS NOT NULL;
  END;
`;

const otherTables = `
  CREATE TABLE token_bucket (
    partition TEXT NOT NULL, key TEXT NOT NULL, fullAt REAL NOT NULL, PRIMARY KEY (partition, key)
  ) WITHOUT ROWID;
  CREATE INDEX token_bucket_full ON token_bucket (fullAt);
`;

/** The same since the first version. */
const messageTable =
  'CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL)';

/** The first version with the tables of the engine. */
const engineVersion = migrations.length + 1;

/** The version of the tables that this code reads and writes. */
export const schemaVersion = engineVersion + 1;

/** Makes the tables, or brings those of an older version to this one. Runs inside a write transaction. */
export function prepareTables(connection: Connection, now: number): void {
  const version = Number(connection.sql('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > schemaVersion) throw tooNew(version);
  if (version === schemaVersion) return;
  if (version === engineVersion) connection.exec(logShares);
  else makeTables(connection, version, now);
  connection.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/** The tables of a file that has none, or those of a version before the engine. */
function makeTables(connection: Connection, version: number, now: number): void {
  if (version > 0) for (const statements of migrations.slice(version)) connection.exec(statements);
  for (const statements of [itemTables, logTables, logShares, otherTables]) connection.exec(statements);
  if (version === 0) connection.exec(messageTable);
  else moveRows(connection, now);
}

/** Deletes everything, inside a transaction. */
export function clearTables(connection: Connection): void {
  for (const table of ['item', 'item_log', 'token_bucket', 'message']) connection.exec(`DELETE FROM ${table}`);
  connection.exec('UPDATE store SET epoch = lower(hex(randomblob(16)))');
}

const tooNew = (version: number): TenonError =>
  new TenonError('store-too-new', `The SQLite store has version ${version}; this Tenon knows ${schemaVersion}.`, {
    hint: 'Update Tenon, or use another file.',
    details: { version, known: schemaVersion },
  });
