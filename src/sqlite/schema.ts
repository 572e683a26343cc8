/** The tables of a SQLite store, by version. A file of an older version is migrated; one of a newer version is refused. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Connection } from './connection.ts';

/** The statements that lead from one version to the next. Never change one that was released: add another. */
const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  INSERT INTO meta VALUES ('epoch', lower(hex(randomblob(16))));

  CREATE TABLE session (key TEXT PRIMARY KEY, fields TEXT NOT NULL, expires INTEGER NOT NULL);
  CREATE INDEX session_expires ON session (expires);

  CREATE TABLE log_session (
    session TEXT PRIMARY KEY, size INTEGER NOT NULL, maxSize INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE log (
    session TEXT NOT NULL, stream TEXT NOT NULL,
    count INTEGER NOT NULL, stored INTEGER NOT NULL, size INTEGER NOT NULL, followed INTEGER NOT NULL,
    ended INTEGER, opened INTEGER,
    PRIMARY KEY (session, stream)
  ) WITHOUT ROWID;
  CREATE INDEX log_ended ON log (ended) WHERE ended IS NOT NULL;
  CREATE INDEX log_opened ON log (opened) WHERE opened IS NOT NULL;
  CREATE TABLE event (session TEXT NOT NULL, stream TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, size INTEGER NOT NULL);
  CREATE UNIQUE INDEX event_place ON event (session, stream, n);
  CREATE TABLE awaited (
    session TEXT PRIMARY KEY, stream TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL,
    size INTEGER NOT NULL, until INTEGER NOT NULL, sequence INTEGER NOT NULL
  );
  CREATE TABLE log_total (size INTEGER NOT NULL, awaited INTEGER NOT NULL, sequence INTEGER NOT NULL);
  INSERT INTO log_total VALUES (0, 0, 0);

  CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL);

  CREATE TABLE used_key (key TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX used_key_expires ON used_key (expires);
  CREATE INDEX used_key_owner ON used_key (owner);

  CREATE TABLE bucket (key TEXT PRIMARY KEY, fullAt REAL NOT NULL) WITHOUT ROWID;
  CREATE INDEX bucket_full ON bucket (fullAt);
  CREATE TABLE slot (key TEXT NOT NULL, lease TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (key, lease)) WITHOUT ROWID;
  CREATE INDEX slot_until ON slot (until);
  `,
  `
  ALTER TABLE log ADD COLUMN note TEXT;
  CREATE TABLE node (name TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
  `,
];

/** The version of the tables that this code reads and writes. */
export const schemaVersion = migrations.length;

/** Brings the tables to the newest version. Runs inside a write transaction. */
export function migrate(connection: Connection): void {
  const version = Number(connection.sql('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > schemaVersion) throw tooNew(version);
  for (const statements of migrations.slice(version)) connection.exec(statements);
  if (version < schemaVersion) connection.exec(`PRAGMA user_version = ${schemaVersion}`);
}

const tooNew = (version: number): TenonError =>
  new TenonError('store-too-new', `The SQLite store has version ${version}; this Tenon knows ${schemaVersion}.`, {
    hint: 'Update Tenon, or use another file.',
    details: { version, known: schemaVersion },
  });
