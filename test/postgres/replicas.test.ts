/** What a PostgreSQL with replicas promises: one that commits do not wait for lacks the last moment when it takes over. */
import { openPostgresStore } from 'tenon/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { followPostgres, hasPostgres, patient, sql, startPostgres } from './fixtures/postgres-server.ts';

describe.runIf(hasPostgres)('[S20] a store in PostgreSQL with a replica', () => {
  it('has the durability process, and disk once commits wait for the replica', async () => {
    const server = await startPostgres(['fsync=on']);
    onTestFinished(() => server.close());
    const replica = await followPostgres(server);
    onTestFinished(() => replica.close());

    const durability = async () => {
      const store = await openPostgresStore(server.url, { timeouts: patient });
      await store.close();
      return store.durability;
    };
    expect(await durability()).toBe('process');
    await expect(openPostgresStore(server.url, { durability: 'disk', timeouts: patient })).rejects.toMatchObject({
      code: 'store-not-durable',
      hint: expect.stringContaining('`synchronous_standby_names`'),
    });

    await sql(server, "ALTER SYSTEM SET synchronous_standby_names = 'pg_receivewal'");
    await sql(server, 'SELECT pg_reload_conf()');
    while ((await sql(server, 'SHOW synchronous_standby_names'))[0]?.synchronous_standby_names === '');
    expect(await durability()).toBe('disk');
  });
});
