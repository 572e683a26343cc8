/** The store in PostgreSQL keeps the contract of every store, with and without encryption. */
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from 'tenon/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withFixed } from '../kit/fixed-limits.ts';
import { scaled } from '../kit/long.ts';
import { testAuthorizationStore } from '../store/authorization-contract.ts';
import { testConsentStore } from '../store/consent-contract.ts';
import { testStore } from '../store/contract.ts';
import { testCredentialStore } from '../store/credential-contract.ts';
import { testSharedCredentials } from '../store/credential-processes.ts';
import { expectLikeMemory } from '../store/like-memory.ts';
import { testLimitStore } from '../store/limit-contract.ts';
import { onceLimitsInParts, testOnceStore } from '../store/once-contract.ts';
import { testTasks } from '../store/task-contract.ts';
import {
  cutConnections,
  hasPostgres,
  type PostgresServer,
  patient,
  sql,
  startPostgres,
} from './fixtures/postgres-server.ts';

const encryption = { keys: ['the newest secret of these tests, long', 'an older secret of these tests, long enough'] };
const rounds = scaled(20, 500);
const schema = 'tested';
const tables = ['item', 'member', 'member_count', 'due', 'lane', 'log', 'entry', 'bucket', 'message'];
/** Faster than another schema for each test. */
const clearing = `TRUNCATE ${tables.map((table) => `${schema}.${table}`).join(', ')}; SELECT setval('${schema}.clock', 0)`;

describe.runIf(hasPostgres).each([
  ['PostgreSQL', {}],
  ['encrypted PostgreSQL', { encryption }],
] as const)('%s', (name, settings) => {
  let server: PostgresServer;
  const stores: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    if (stores.length === 0) return;
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await clear();
  });
  afterAll(() => server.close());

  const clear = async () => void (await sql(server, clearing));

  async function open(options: PostgresStoreOptions = {}): Promise<PostgresStore> {
    const store = await openPostgresStore(server.url, {
      schema,
      timeouts: patient,
      maxConnections: 3,
      ...settings,
      ...options,
    });
    stores.push(store);
    return store;
  }

  /** An empty store, on a clock of the test. */
  function newPlace() {
    let moment = Date.UTC(2026, 0);
    const now = (): number => moment;
    return {
      now,
      advance: (ms: number) => void (moment += ms),
      open: (options?: PostgresStoreOptions) => open({ now, ...options }),
    };
  }

  testStore(`in ${name}`, async () => {
    const place = newPlace();
    const store = await place.open();
    return {
      ...place,
      store,
      async lose() {
        await sql(server, `DROP SCHEMA ${schema} CASCADE`);
        // The operation that finds it lost fails.
        await Promise.resolve(store.sessions.read('a')).catch(() => undefined);
        await store.sessions.read('a');
      },
      loseMessages: () => cutConnections(server, 'listening'),
    };
  });

  testLimitStore(`in ${name}`, async () => {
    const place = newPlace();
    return { ...place, store: (await place.open()).limits };
  });

  testOnceStore(`in ${name}`, async () => {
    const place = newPlace();
    const options = withFixed({}, onceLimitsInParts);
    const [one, other] = [await place.open(options), await place.open(options)];
    return { ...place, stores: [one.once, other.once], hasTotals: false };
  });

  testTasks(`in ${name}`, async () => {
    const place = newPlace();
    const { tasks, bus } = await place.open();
    return { ...place, tasks, bus };
  });

  testCredentialStore(`in ${name}`, async () => (await newPlace().open()).credentials);
  testConsentStore(`in ${name}`, async () => (await newPlace().open()).consents);
  testAuthorizationStore(`in ${name}`, async () => {
    const place = newPlace();
    return { ...place, store: (await place.open()).authorizations };
  });
  testSharedCredentials(`in ${name}`, () => {
    const place = newPlace();
    return {
      ...place,
      open: ({ lockTimeoutMs = 60_000 } = { lockTimeoutMs: 60_000 }) =>
        place.open({ credentials: withFixed({ maxEntries: 3 }, { lockTimeoutMs }), consents: { maxEntries: 3 } }),
    };
  });

  it('has the results of a store in memory for every sequence of operations [S20]', async () => {
    const place = newPlace();
    const store = await place.open();
    // The disk limits what all sessions store together.
    const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 1e9, maxStreams: 3 };
    expect(await expectLikeMemory({ store, clock: place, limits, rounds, clear })).toBeGreaterThan(rounds);
  });
});
