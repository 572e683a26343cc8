/** Credentials and answers of users in SQLite, as rows of texts. */
import type { ConsentRows } from '../driver/credentials/consents.ts';
import type { CredentialRow, CredentialRows } from '../driver/credentials/credentials.ts';
import {
  defaultMaxEntries,
  noRoom,
  type StoredConsentsOptions,
  type StoredCredentialsOptions,
} from '../driver/credentials/options.ts';
import type { Connection } from './connection.ts';

export function createCredentialRows(
  connection: Connection,
  { maxEntries = defaultMaxEntries }: StoredCredentialsOptions = {},
  now: () => number,
): CredentialRows {
  const select = 'SELECT text, version FROM credential WHERE name = ?';
  const insert = 'INSERT OR REPLACE INTO credential (name, text, version) VALUES (?, ?, ?)';
  const remove = 'DELETE FROM credential WHERE name = ?';
  const expired = 'DELETE FROM credential_lock WHERE until <= ?';
  const hold =
    'INSERT INTO credential_lock (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE holder = excluded.holder RETURNING 1';
  const release = 'DELETE FROM credential_lock WHERE name = ? AND holder = ?';

  const find = (name: string): CredentialRow | undefined =>
    connection.sql(select).get(name) as CredentialRow | undefined;

  function swap(name: string, version: string | undefined, row: CredentialRow | undefined): boolean {
    const stored = find(name);
    if (stored?.version !== version) return false;
    if (row === undefined) connection.sql(remove).run(name);
    else {
      if (stored === undefined) requireRoom(connection, 'credential', maxEntries);
      connection.sql(insert).run(name, row.text, row.version);
    }
    return true;
  }

  return {
    read: (name) => connection.read(() => find(name)),
    swap: (name, version, row) => connection.write(() => swap(name, version, row)),
    hold: (name, holder, leaseMs) =>
      connection.write(() => {
        const moment = now();
        connection.sql(expired).run(moment);
        return connection.sql(hold).get(name, holder, moment + leaseMs) !== undefined;
      }),
    release: (name, holder) => connection.write(() => void connection.sql(release).run(name, holder)),
  };
}

/** How many expired answers one write deletes: enough to keep up. */
const sweep = 10;

export function createConsentRows(
  connection: Connection,
  { maxEntries = defaultMaxEntries }: StoredConsentsOptions = {},
  now: () => number,
): ConsentRows {
  const select = 'SELECT text FROM consent WHERE name = ?';
  const insert = 'INSERT OR REPLACE INTO consent (name, text, expires) VALUES (?, ?, ?)';
  const remove = 'DELETE FROM consent WHERE name = ?';
  const expired = 'DELETE FROM consent WHERE name IN (SELECT name FROM consent WHERE expires <= ? LIMIT ?)';

  function write(name: string, text: string | undefined, expires: number): void {
    connection.sql(remove).run(name);
    if (text === undefined) return;
    connection.sql(expired).run(now(), sweep);
    requireRoom(connection, 'consent', maxEntries);
    connection.sql(insert).run(name, text, expires);
  }

  return {
    read: (name) => connection.read(() => connection.sql(select).get(name)?.text as string | undefined),
    write: (name, text, expires) => connection.write(() => write(name, text, expires)),
  };
}

function requireRoom(connection: Connection, table: 'credential' | 'consent', maxEntries: number): void {
  const entries = Number(connection.sql(`SELECT count(*) AS entries FROM ${table}`).get()?.entries);
  if (entries >= maxEntries) throw noRoom(`${table}s`, maxEntries);
}
