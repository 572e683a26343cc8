/** The tables of a SQLite store before the engine, by version: a file of one of them is brought to the last, and then to those of the engine. */

/** The statements that lead from one version to the next. Never change one that was released: add another. */
export const migrations: readonly string[] = [
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
  `
  CREATE TABLE credential (name TEXT PRIMARY KEY, text TEXT NOT NULL, version TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE credential_lock (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE consent (name TEXT PRIMARY KEY, text TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX consent_expires ON consent (expires);
  `,
  // Runs that may happen once. Triggers count, so that a limit costs no scan; a text has a number in the order of the ends.
  `
  CREATE TABLE run (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, holder TEXT NOT NULL,
    ttl INTEGER NOT NULL, lease INTEGER, expires INTEGER NOT NULL, text TEXT, chars INTEGER, ended INTEGER,
    PRIMARY KEY (owner, key)
  );
  CREATE INDEX run_expires ON run (expires);
  CREATE INDEX run_text ON run (ended) WHERE text IS NOT NULL;
  CREATE INDEX run_owner_text ON run (owner, ended) WHERE text IS NOT NULL;
  CREATE TABLE run_count (owner TEXT PRIMARY KEY, keys INTEGER NOT NULL, chars INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE run_total (keys INTEGER NOT NULL, chars INTEGER NOT NULL);
  INSERT INTO run_total VALUES (0, 0);
  CREATE TRIGGER run_added AFTER INSERT ON run BEGIN
    INSERT INTO run_count VALUES (new.owner, 1, 0) ON CONFLICT (owner) DO UPDATE SET keys = keys + 1;
    UPDATE run_total SET keys = keys + 1;
  END;
  CREATE TRIGGER run_deleted AFTER DELETE ON run BEGIN
    UPDATE run_count SET keys = keys - 1, chars = chars - coalesce(old.chars, 0) WHERE owner = old.owner;
    DELETE FROM run_count WHERE owner = old.owner AND keys = 0;
    UPDATE run_total SET keys = keys - 1, chars = chars - coalesce(old.chars, 0);
  END;
  CREATE TRIGGER run_text_changed AFTER UPDATE OF chars ON run BEGIN
    UPDATE run_count SET chars = chars + coalesce(new.chars, 0) - coalesce(old.chars, 0) WHERE owner = new.owner;
    UPDATE run_total SET chars = chars + coalesce(new.chars, 0) - coalesce(old.chars, 0);
  END;
  `,
  'ALTER TABLE log ADD COLUMN change INTEGER; ALTER TABLE log ADD COLUMN given INTEGER NOT NULL DEFAULT 0',
  `
  ALTER TABLE awaited RENAME TO awaited_before;
  CREATE TABLE awaited (
    session TEXT NOT NULL, stream TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL,
    size INTEGER NOT NULL, until INTEGER NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (session, stream)
  );
  INSERT INTO awaited SELECT * FROM awaited_before;
  DROP TABLE awaited_before;
  CREATE INDEX awaited_sequence ON awaited (sequence);
  `,
  `
  CREATE TABLE task (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, kind TEXT NOT NULL,
    keyName TEXT, keyDigest TEXT, data TEXT NOT NULL, isOver INTEGER NOT NULL, version INTEGER NOT NULL,
    createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, claimableAt INTEGER, endsAt INTEGER NOT NULL
  );
  CREATE INDEX task_owner ON task (owner, number);
  CREATE INDEX task_live ON task (owner) WHERE isOver = 0;
  CREATE UNIQUE INDEX task_key ON task (owner, keyName) WHERE keyName IS NOT NULL;
  CREATE INDEX task_claimable ON task (kind, claimableAt) WHERE claimableAt IS NOT NULL;
  CREATE INDEX task_ends ON task (isOver, endsAt);
  CREATE TABLE task_entry (task INTEGER NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (task, n)) WITHOUT ROWID;
  `,
];
