/** All bytes that a store of any engine has stored, as text: a test searches them for what must not be there. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connectRedis } from '../../../src/redis/connection.ts';
import { sql } from '../../postgres/fixtures/postgres-server.ts';
import { patient } from '../../redis/fixtures/redis-server.ts';
import type { StoreAddress } from './open-at.ts';

export async function storedBytes({ url, space }: StoreAddress): Promise<string> {
  if (url.startsWith('redis:')) return inRedis(url, space);
  if (url.startsWith('postgres:')) return inPostgres(url, space);
  const folder = dirname(url.replace('sqlite:', ''));
  // With the log of the file, and what other stores have beside it.
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join('');
}

async function inRedis(url: string, space: string): Promise<string> {
  const admin = await connectRedis(url, { ...patient, onError: () => undefined });
  try {
    const names = (await admin.keysBuffer('*')).filter((name) => name.toString('latin1').includes(space));
    const read = async (name: Buffer): Promise<string> => {
      const values = await Promise.all(
        // A long text is compressed in a dump: commands read it as it is.
        [
          admin.getBuffer(name),
          admin.hgetallBuffer(name),
          admin.zrangeBuffer(name, '0', '-1'),
          admin.lrangeBuffer(name, '0', '-1'),
        ].map((command: Promise<unknown>) => command.catch(() => undefined)),
      );
      const dump = await admin.dumpBuffer(name);
      return [name, dump, ...values.flatMap(buffersIn)].map((value) => value?.toString('latin1') ?? '').join('\n');
    };
    return (await Promise.all(names.map(read))).join('\n');
  } finally {
    admin.disconnect();
  }
}

function buffersIn(value: unknown): Buffer[] {
  if (Buffer.isBuffer(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(buffersIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [Buffer.from(name, 'latin1'), ...buffersIn(one)]);
}

async function inPostgres(url: string, schema: string): Promise<string> {
  const tables = await sql({ url }, `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`);
  const rows = tables.map(({ name }) => sql({ url }, `SELECT t::text AS row FROM ${schema}."${name}" t`));
  return JSON.stringify(await Promise.all(rows));
}
