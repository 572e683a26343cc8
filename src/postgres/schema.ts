/** Makes the schema of a store, or refuses one that a newer Tenon has made; reads what the server promises. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Durability } from '../store/durability.ts';
import { changes } from './changes.sql.ts';
import { conditions, refusalOfWrite } from './conditions.sql.ts';
import type { Connections } from './connections.ts';
import { expiry, expiryOfBuckets } from './expiry.sql.ts';
import { application, runs } from './runs.sql.ts';
import { schemaVersion, tables } from './tables.sql.ts';

/** What is known of an opened store. */
export interface OpenedSchema {
  /** Changes when the schema was deleted and made again. */
  readonly epoch: string;
  readonly durability: Durability;
}

/** The name of a schema, quoted. It has no character that would end the quotes (see the rule of the option). */
export const inSchema = (sql: string, schema: string): string => sql.replaceAll('tenon.', () => `"${schema}".`);

/** Reads the schema, and makes it where there is none. Several processes may do that at once. */
export async function openSchema(connections: Connections, schema: string): Promise<OpenedSchema> {
  const [server] = await connections.query({ text: serverFacts });
  if (server === undefined || Number(server.version) < 120_000 || server.encoding !== 'UTF8')
    throw unusable(`version ${server?.shown_version}, encoding ${server?.encoding}`);
  const known = (await readMeta(connections, schema)) ?? (await makeSchema(connections, schema));
  const version = Number(known.version);
  if (version > schemaVersion) throw tooNew(version, schema);
  if (version < schemaVersion) await upgradeSchema(connections, schema);
  return { epoch: known.epoch as string, durability: durabilityOf(server) };
}

type Values = Readonly<Record<string, string | null>>;

const serverFacts = `SELECT current_setting('server_version_num') AS version, version() AS shown_version,
  current_setting('server_encoding') AS encoding, current_setting('fsync', true) AS fsync,
  current_setting('full_page_writes', true) AS pages, current_setting('synchronous_commit', true) AS commits,
  current_setting('synchronous_standby_names', true) AS standbys, (SELECT count(*) FROM pg_stat_replication) AS replicas`;

/**
 * Without `synchronous_commit` even a crash of PostgreSQL alone loses the last moment. Without `fsync` or
 * `full_page_writes` a loss of power does. So does a replica that takes over and is not waited for.
 */
function durabilityOf({ fsync, pages, commits, standbys, replicas }: Values): Durability {
  if (fsync === null || pages === null || commits === null) return 'unknown';
  if (commits === 'off') return 'memory';
  const isWaitedFor = Number(replicas) === 0 || (Boolean(standbys) && commits !== 'local');
  return fsync === 'on' && pages === 'on' && isWaitedFor ? 'disk' : 'process';
}

/** Of the catalog itself: `to_regclass` may answer what it knew before the lock. */
const isMade = (schema: string): string =>
  `SELECT n.oid AS schema, c.oid AS meta FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta'
  WHERE n.nspname = '${schema}'`;
const meta = (schema: string): string => inSchema('SELECT name, value FROM tenon.meta', schema);
const metaIn = (rows: readonly Values[]): Values => Object.fromEntries(rows.map((row) => [row.name, row.value]));

async function readMeta(connections: Connections, schema: string): Promise<Values | undefined> {
  const [found] = await connections.query({ text: isMade(schema) });
  return found?.meta == null ? undefined : metaIn(await connections.query({ text: meta(schema) }));
}

/** One transaction, under a lock: a process that waits finds it made. */
function makeSchema(connections: Connections, schema: string): Promise<Values> {
  return connections.transaction(async (run) => {
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('tenon schema ${schema}', 0))`);
    const [found] = await run(isMade(schema));
    if (found?.meta == null) {
      if (found === undefined) await run(`CREATE SCHEMA "${schema}"`);
      await run(inSchema(tables + conditions + changes + expiry + runs, schema));
      const values = `('version', '${schemaVersion}'), ('epoch', '${crypto.randomUUID()}')`;
      await run(inSchema(`INSERT INTO tenon.meta VALUES ${values}`, schema));
    }
    return metaIn(await run(meta(schema)));
  });
}

/** Version 2 has another condition of writes, version 3 another expiry of buckets. It may be done twice. */
function upgradeSchema(connections: Connections, schema: string): Promise<unknown> {
  return connections.transaction(async (run) => {
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('tenon schema ${schema}', 0))`);
    await run(inSchema(refusalOfWrite + expiryOfBuckets + expiry + application, schema));
    await run(inSchema(`UPDATE tenon.meta SET value = '${schemaVersion}' WHERE name = 'version'`, schema));
  });
}

const unusable = (found: string): TenonError =>
  new TenonError('store-failed', `This PostgreSQL cannot hold a store: ${found}.`, {
    hint: 'A store needs PostgreSQL 12 or newer, and a database with the encoding UTF8.',
  });

const tooNew = (version: number, schema: string): TenonError =>
  new TenonError('store-too-new', `The schema ${schema} has version ${version}; this Tenon knows ${schemaVersion}.`, {
    hint: 'Update Tenon, or use another schema.',
    details: { version, known: schemaVersion },
  });
