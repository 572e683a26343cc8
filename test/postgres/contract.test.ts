/** The engine in PostgreSQL by the suite of the contract, and compared with memory. */
import { type DriverUnderTest, testStoreDriver } from 'tenon/store/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresDriver } from '../../src/postgres/postgres-driver.ts';
import { scaled } from '../kit/long.ts';
import { requires } from '../kit/requires.ts';
import { expectLikeMemoryDriver } from '../store/driver/like-memory.ts';
import {
  cutConnections,
  hasPostgres,
  type PostgresServer,
  patient,
  sql,
  startPostgres,
} from './fixtures/postgres-server.ts';

it('has a PostgreSQL to run on', (context) => {
  requires(context, hasPostgres ? undefined : 'postgresql is not installed');
  expect(hasPostgres).toBe(true);
});

describe.runIf(hasPostgres)('the engine in PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  async function open(): Promise<DriverUnderTest> {
    const schema = `store_${++schemas}`;
    let now = Date.UTC(2026, 0);
    const options = { schema, now: () => now, timeouts: patient, maxConnections: 4 };
    const driver = await openPostgresDriver(server.url, options);
    const other = await openPostgresDriver(server.url, options);
    return {
      driver,
      other,
      advance: (ms) => void (now += ms),
      async lose() {
        await sql(server, `DROP SCHEMA ${schema} CASCADE`);
        await expect(driver.run('p', [{ op: 'get', key: 'a' }])).rejects.toMatchObject({ code: 'store-failed' });
      },
      disconnect: () => cutConnections(server),
      async close() {
        await driver.close();
        await other.close();
        await sql(server, `DROP SCHEMA ${schema} CASCADE`);
      },
    };
  }

  testStoreDriver(open, it);

  it('has the results of memory for random runs [S20]', async () => {
    expect(await expectLikeMemoryDriver(open, scaled(20, 200))).toBeGreaterThan(100);
  });
});
