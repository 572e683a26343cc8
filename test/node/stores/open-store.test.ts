/** Stores by their URLs: `openStore(url)`, and `store: url` of what serves. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { createServer, openStore, serveHttp, serveStdio, toFetchHandler } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { stablePort } from '../../client/reconnect/stable-port.ts';
import { request, startSession } from '../../kit/http/messages.ts';
import { enginesWithServers } from '../../kit/stores/engines.ts';
import { hasRedis, type RedisServer, startRedis } from '../../redis/fixtures/redis-server.ts';

const secrets = ['a secret of these tests only'];
const newServer = () => createServer({ name: 'stored', version: '1' }, { secrets });
let folder: string;
let files = 0;
const newFile = (): string => join(folder, `store-${files++}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('[S20] openStore()', () => {
  it.each([
    ['an absolute path', (file: string) => `sqlite:${file}`],
    ['an absolute path after two slashes', (file: string) => `sqlite://${file}`],
    ['a path relative to the working directory', (file: string) => `sqlite:${relative(process.cwd(), file)}`],
    ['a scheme in upper case', (file: string) => `SQLite:${file}`],
  ])('opens a SQLite file by %s', async (_name, url) => {
    const file = newFile();
    const store = await openStore(url(file));
    expect(store).toMatchObject({ name: 'sqlite', durability: 'disk' });
    await store.close();
    expect(existsSync(file)).toBe(true);
  });

  it('encrypts with the keys of encryption, and refuses a short one by name', async () => {
    const url = `sqlite:${newFile()}`;
    const encryption = { keys: ['a secret of these tests, long enough'] };
    await (await openStore(url, { encryption })).close();
    await expect(openStore(url)).rejects.toMatchObject({ code: 'store-key-missing' });
    const short = openStore(url, { encryption: { keys: ['short'] } });
    await expect(short).rejects.toMatchObject({ code: 'invalid-argument', details: { place: 'encryption.keys[0]' } });
  });

  it('opens a store in memory', async () => {
    const store = await openStore('memory:');
    expect(store).toMatchObject({ name: 'memory', durability: 'memory' });
    await store.close();
  });

  it.each([
    ['tenon.db', "Write 'sqlite:tenon.db'"],
    ['./data/tenon.db', "Write 'sqlite:./data/tenon.db'"],
    ['', "'sqlite:./tenon.db'"],
    ['mysql://user:password@db/x', "'redis://localhost:6379'"],
    ['postgres:tenon', 'postgres://user@localhost:5432/database'],
    ['file:./tenon.db', "'sqlite:./tenon.db'"],
    ['sqlite:', "'sqlite:./tenon.db'"],
    ['sqlite://tenon.db', "'sqlite:./tenon.db' for a path relative"],
    ['sqlite::memory:', "'memory:'"],
    ['sqlite:./tenon.db?mode=ro', 'openSqliteStore()'],
    ['redis:localhost', 'redis://localhost:6379'],
    ['memory:x', "'memory:'"],
  ])('refuses %j and shows how to write it', async (url, hint) => {
    const refusal = { code: 'invalid-argument', hint: expect.stringContaining(hint), details: { place: 'store' } };
    await expect(openStore(url)).rejects.toMatchObject(refusal);
    await expect(serveHttp(newServer(), { port: 0, store: url })).rejects.toMatchObject(refusal);
    expect(() => serveStdio(newServer(), { ...streams(), store: url })).toThrow(expect.objectContaining(refusal));
    await expect(openStore(url)).rejects.not.toThrow('password');
  });

  it('names the whole path of a file that cannot be opened', async () => {
    const missing = { code: 'store-failed', message: expect.stringContaining(folder) };
    await expect(openStore(`sqlite:${relative(process.cwd(), folder)}`)).rejects.toMatchObject(missing);
  });

  it('refuses options that it does not have', async () => {
    await expect(openStore('memory:', { onEror() {} } as object)).rejects.toThrow('onError');
  });

  it('is what toFetchHandler needs: it takes no URL', () => {
    const store = 'memory:' as unknown as Awaited<ReturnType<typeof openStore>>;
    expect(() => toFetchHandler(newServer(), { store })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});

const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

/** A session begun at one service is used at a second one, which is started with the same URL after the first has closed. */
async function statusAfterRestart(store: string): Promise<number> {
  const server = newServer();
  const first = await serveHttp(server, { port: await stablePort(), store });
  const session = await startSession(first.url, '2025-11-25');
  const opened = first.store;
  await first.close();
  await expect(async () => opened?.sessions.read('a')).rejects.toMatchObject({ code: 'store-failed' });
  const second = await serveHttp(server, { port: first.port, store });
  const { status } = await session.post(request('ping', undefined, 8));
  await second.close();
  return status;
}

describe('[S20] a service with the URL of a store', () => {
  it('opens a SQLite file and closes it: a session survives a restart', async () => {
    expect(await statusAfterRestart(`sqlite:${newFile()}`)).toBe(200);
  });

  it('uses memory for memory:, with no store to read', async () => {
    const service = await serveHttp(createServer({ name: 'a', version: '1' }), { port: 0, store: 'memory:' });
    expect(service.store).toBeUndefined();
    await service.close();
  });

  it('on stdio answers its first message when the store is open, and closes it at the end', async () => {
    const { stdin, stdout } = streams();
    const service = serveStdio(newServer(), { stdin, stdout, store: `sqlite:${newFile()}` });
    expect(service.stats()).toEqual({ activeCalls: 0, dropped: { late: 0, unknown: 0, invalid: 0 } });
    const answered = new Promise((resolve) => stdout.once('data', resolve));
    stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(JSON.parse(String(await answered))).toMatchObject({ id: 1, result: {} });
    expect(service.store).toMatchObject({ name: 'sqlite' });
    const { store } = service;
    stdin.end();
    expect(await service.closed).toBeUndefined();
    await expect(async () => store?.sessions.read('a')).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('on stdio ends with the error of a store that cannot be opened', async () => {
    const service = serveStdio(newServer(), { ...streams(), store: `sqlite:${folder}` });
    expect(await service.closed).toMatchObject({ code: 'store-failed' });
  });

  it('on stdio can be closed before its store is open', async () => {
    const file = newFile();
    const service = serveStdio(newServer(), { ...streams(), store: `sqlite:${file}` });
    expect(await service.close()).toBeUndefined();
    expect(service.store).toBeUndefined();
  });
});

describe.each(enginesWithServers)('[S20] a service with the URL of %s', (_label, engine) => {
  it('opens connections and closes them: a session survives a restart', async () => {
    const started = await engine.start();
    onTestFinished(() => started.close());
    expect(await statusAfterRestart(started.next().url)).toBe(200);
  });
});

describe.runIf(hasRedis)('[S20] a service with the URL of Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it('closes what it has opened where it cannot listen', async () => {
    const taken = await serveHttp(newServer(), { port: 0 });
    const failed = { code: 'listen-failed' };
    await expect(serveHttp(newServer(), { port: taken.port, store: redis.url })).rejects.toMatchObject(failed);
    await taken.close();
    const admin = await connectRedis(redis.url, { commandMs: 60_000, connectMs: 60_000, onError: () => undefined });
    await vi.waitUntil(
      async () =>
        String(await admin.client('LIST'))
          .trim()
          .split('\n').length === 1,
    );
    admin.disconnect();
  });
});
