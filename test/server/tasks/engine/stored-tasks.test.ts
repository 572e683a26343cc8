/** Tasks in real stores: encrypted in SQLite, and in a Redis that has lost its last second. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, tool } from 'tenon';
import { openRedisStore } from 'tenon/redis';
import { openSqliteStore } from 'tenon/sqlite';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { connectRedis } from '../../../../src/redis/connection.ts';
import { internalsOf } from '../../../../src/server/internals.ts';
import { deferred } from '../../../kit/deferred.ts';
import { handshake, type Json } from '../../../kit/transport/raw-connection.ts';
import { hasRedis, patient, startRedis } from '../../../redis/fixtures/redis-server.ts';
import { openClient, resultOf } from '../task-server.ts';
import { closeEngines, cluster, create, reached, textOf } from './cluster.ts';

afterEach(closeEngines);

/** The bytes of all files of a folder. */
async function bytesIn(folder: string): Promise<Buffer> {
  const names = await readdir(folder);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))));
}

/** Runs a task with private values in each of its parts, and returns what is in the files of its store. */
async function storedBytes(more: { readonly encryption?: { readonly keys: readonly string[] } }): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-tasks-'));
  const store = await openSqliteStore(join(folder, 'store.db'), more);
  const server = createServer(
    {
      name: 'clinic',
      version: '1.0.0',
      tools: {
        report: tool({ task: 'required', inputSchema: z.object({ patient: z.string() }) }, async (_given, ctx) => {
          await ctx.step('find', () => 'private-step');
          const form = { message: 'private-question', schema: z.object({ note: z.string() }) };
          await ctx.elicit('note', form);
          return 'private-result';
        }),
      },
    },
    { secrets: ['a secret of at least sixteen characters'] },
  );
  const used = internalsOf(server).useStore(store, undefined);
  const answer = { action: 'accept', content: { note: 'private-answer' } };
  const client = openClient(server, { principal: { issuer: 'https://id', subject: 'private-subject' } }, () => answer);
  const hello = handshake('2025-11-25').params as Json;
  await client.ask('initialize', { ...hello, capabilities: { elicitation: {} } });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = { name: 'report', arguments: { patient: 'private-argument' }, task: {} };
  const { taskId } = resultOf(await client.ask('tools/call', call)).task as Json;
  const result = resultOf(await client.ask('tasks/result', { taskId }));
  expect(result.content).toEqual([{ type: 'text', text: 'private-result' }]);
  await used.release();
  await store.close();
  const bytes = await bytesIn(folder);
  await rm(folder, { recursive: true });
  return bytes;
}

describe('the private values of a task', () => {
  const values = ['argument', 'step', 'question', 'answer', 'result', 'subject'].map((name) => `private-${name}`);

  it('are not in the files of an encrypted store: arguments, steps, requests, answers, result and principal', async () => {
    const bytes = await storedBytes({ encryption: { keys: ['a key that is long enough for the tests'] } });
    expect(values.filter((value) => bytes.includes(value))).toEqual([]);
    expect(bytes.includes('clinic/report@')).toBe(true);
  });

  it('are there without encryption', async () => {
    const bytes = await storedBytes({});
    expect(values.filter((value) => bytes.includes(value))).toEqual(values);
  });
});

describe.skipIf(!hasRedis)('a Redis that has lost its last second', () => {
  it('has a task run again from what it knows, refuses the worker of before, and does not know a task of that second', async () => {
    const redis = await startRedis(['--appendonly', 'no']);
    onTestFinished(() => redis.close());
    const store = await openRedisStore(redis.url, { timeouts: patient });
    onTestFinished(() => store.close());
    const admin = await connectRedis(redis.url, { ...patient, onError() {} });
    onTestFinished(() => admin.disconnect());
    const { join: joinAs } = cluster(() => store);
    const [stored, go, refused] = [deferred(), deferred(), deferred<unknown>()];
    const creator = joinAs(() => 'never', { kinds: [], clock: createFakeClock() });
    const made = await create(creator);
    await admin.save();
    joinAs(
      async (_, ctx) => {
        await ctx.step('one', () => 'old');
        stored.resolve();
        await go.promise;
        await ctx.step('two', () => 'old').catch((error: unknown) => refused.resolve(error));
        return 'by the old one';
      },
      { clock: createFakeClock() },
    );
    await stored.promise;
    const lost = await create(creator);
    await redis.kill();
    await redis.start();
    expect(await whenBack(() => creator.read(lost.row.id, 'ann'))).toBeUndefined();
    const next = joinAs(async (_, ctx) => `${await ctx.step('one', () => 'new')}`);
    go.resolve();
    await reached(next, made, 'completed');
    expect(await textOf(next, made)).toBe('new');
    expect(await refused.promise).toMatchObject({ code: expect.stringMatching(/^(task-lost|input-required)$/) });
  });
});

/** The connection is made again in the background; until then operations fail. */
async function whenBack<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
