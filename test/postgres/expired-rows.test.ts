/** What has expired leaves PostgreSQL with what is written after it: no session or stream has to be there, and no table is read whole. */
import { createServer, serveHttp, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { openPostgresStore } from 'tenon/postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPostgresDriver } from '../../src/postgres/postgres-driver.ts';
import { memoryAudit } from '../guard/server/kit.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { hasPostgres, type PostgresServer, patient, sql, startPostgres } from './fixtures/postgres-server.ts';

const policy = createPolicy(
  'version: 1\nrules: [{ id: all, allow: [list, call, read, get, complete, subscribe], to: any, on: any }]',
);
const day = 86_400_000;

describe.runIf(hasPostgres)('what has expired in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const count = async (table: string): Promise<number> =>
    Number((await sql(server, `SELECT count(*) AS rows FROM ${table}`))[0]?.rows);

  /** A server whose clients have no sessions, and open no streams. */
  async function start(schema: string) {
    let moment = Date.UTC(2026, 0);
    const store = await openPostgresStore(server.url, { schema, timeouts: patient, now: () => moment });
    onTestFinished(() => store.close());
    const limits = { store: store.limits, perAddress: '100/min' } as const;
    const definition = { name: 'shop', version: '1', tools: { pay: tool({}, () => 'paid') } };
    const guarded = createServer(definition, {
      secrets: ['at least sixteen characters'],
      guard: guard({ policy, limits, audit: memoryAudit() }),
    });
    const service = await serveHttp(guarded, {
      port: 0,
      store,
      authenticate: () => ({ anonymous: true }),
      trustedProxies: ['127.0.0.1'],
    });
    onTestFinished(() => service.close());
    let calls = 0;
    async function pay(): Promise<void> {
      const n = calls++;
      const { headers, body } = loneCall('pay', {}, { 'dev.tenon/idempotency-key': `key ${n}` });
      const from = { 'x-forwarded-for': `203.0.${n >> 8}.${n & 255}` };
      const { json } = await send(service.url, { headers: { ...headers, ...from }, body });
      expect(json).toHaveProperty('result.content');
    }
    return { pay, advance: (ms: number) => void (moment += ms) };
  }

  it('[S20, S24] is deleted by later calls, those of keys and of rates, also by calls that each stand alone', async () => {
    const { pay, advance } = await start('calls');
    for (let n = 0; n < 300; n++) await pay();
    expect([(await count('calls.item')) > 300, await count('calls.bucket')]).toEqual([true, 300]);
    advance(2 * day);
    for (let n = 0; n < 200; n++) await pay();
    await vi.waitUntil(async () => (await count('calls.item')) <= 220 && (await count('calls.bucket')) <= 220);
  });

  it('[S20, S24] is found without reading the rates that are in use', async () => {
    const driver = await openPostgresDriver(server.url, { schema: 'rates', timeouts: patient });
    onTestFinished(() => driver.close());
    await driver.run('limits', [{ op: 'tokens', key: 'one', costMs: day, fullMs: 2 * day }]);
    await sql(
      server,
      `INSERT INTO rates.bucket SELECT (jsonb_populate_record(b, jsonb_build_object('key', n))).*
        FROM rates.bucket b, generate_series(1, 20000) n; ANALYZE rates.bucket`,
    );
    const read = await sql(
      server,
      `SELECT rates.sweep(100, NULL, 0); SELECT seq_tup_read + idx_tup_fetch AS rows
        FROM pg_stat_xact_user_tables WHERE schemaname = 'rates' AND relname = 'bucket'`,
    );
    expect(Number(read.at(-1)?.rows)).toBe(0);
  });
});
