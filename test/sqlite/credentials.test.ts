/** Credentials, answers of users, and rows of an authorization server in a SQLite file keep the contracts of their stores. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from 'tenon/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { sqliteOf } from '../../src/sqlite/database.ts';
import { migrations } from '../../src/sqlite/schema.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { testAuthorizationStore } from '../store/authorization-contract.ts';
import { testConsentStore } from '../store/consent-contract.ts';
import { testCredentialStore } from '../store/credential-contract.ts';
import { testSharedCredentials } from '../store/credential-processes.ts';
import { drivers } from './fixtures/drivers.ts';

const folders: string[] = [];
const stores: SqliteStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  folders.push(folder);
  return join(folder, 'store.db');
}

async function open(file: string, options: SqliteStoreOptions): Promise<SqliteStore> {
  const store = await openSqliteStore(file, options);
  stores.push(store);
  return store;
}

for (const driver of drivers) {
  for (const encryption of [undefined, { keys: ['a secret of the test, long enough'] }]) {
    const options: SqliteStoreOptions = { driver, ...(encryption && { encryption }) };
    const name = `in ${encryption ? 'an encrypted' : 'a'} SQLite file, by ${driver}`;
    testCredentialStore(name, async () => (await open(newFile(), options)).credentials);
    testConsentStore(name, async () => (await open(newFile(), options)).consents);
    testAuthorizationStore(name, async () => {
      let moment = Date.now() + 3_600_000;
      const { authorizations } = await open(newFile(), { ...options, now: () => moment });
      return { store: authorizations, advance: (ms) => void (moment += ms) };
    });
    testSharedCredentials(name, () => {
      const file = newFile();
      let moment = 1_000_000;
      return {
        open: ({ lockTimeoutMs = 60_000 } = { lockTimeoutMs: 60_000 }) =>
          open(file, {
            ...options,
            now: () => moment,
            credentials: withFixed({ maxEntries: 3 }, { lockTimeoutMs }),
            consents: { maxEntries: 3 },
          }),
        advance: (ms) => void (moment += ms),
        now: () => moment,
      };
    });
  }
}

describe('A SQLite file of the first version', () => {
  it('is migrated, and has its sessions and credentials afterwards [S20]', async () => {
    const file = newFile();
    const raw = new (sqliteOf())(file);
    raw.exec(migrations[0] ?? '');
    raw.prepare('INSERT INTO session VALUES (?, ?, ?)').run('a', '{"head":"x"}', Date.now() + 60_000);
    raw.exec('PRAGMA user_version = 1');
    raw.close();
    const store = await open(file, {});
    expect(await store.sessions.read('a')).toEqual({ head: 'x' });
    expect(await store.credentials.swap('a', undefined, 1)).toBe(true);
  });
});
