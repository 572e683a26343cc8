/** A Redis that is slow, lost, restarted or not there: named errors within a bound, and recovery without a restart. */
import { inspect } from 'node:util';
import { openRedisStore, type RedisStore } from 'tenon/redis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { engineKeys } from '../../src/redis/engine/keys.ts';
import { deferred } from '../kit/deferred.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

describe.runIf(hasRedis)('A store in Redis', () => {
  let server: RedisServer;
  let store: RedisStore;
  const errors: unknown[] = [];
  beforeEach(async () => {
    errors.length = 0;
    server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const timeouts = { commandMs: 3000, connectMs: 60_000 };
    store = await openRedisStore(server.url, { timeouts, onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });
  const later = () => Date.now() + 60_000;

  it('fails by name within commandMs while Redis is away, and works again with its data when it is back', async () => {
    await store.sessions.create('a', { head: 'x' }, later());
    const { epoch } = store.sessions;
    await server.kill();
    // What is sent before the loss of the connection is noticed gets no answer.
    const away = { code: expect.stringMatching(/^store-(failed|timeout)$/) };
    await expect(async () => store.sessions.read('a')).rejects.toMatchObject(away);
    await expect(async () => store.bus.publish('a', '1')).rejects.toMatchObject(away);
    await server.start();
    await vi.waitUntil(() => Promise.resolve(store.sessions.read('a')).then(Boolean, () => false));
    expect(await store.sessions.read('a')).toEqual({ head: 'x' });
    expect(store.sessions.epoch).toBe(epoch);
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'store-failed' })]));
  });

  it('says that messages may be lost after Redis was away, and delivers those that follow [S31]', async () => {
    const received: string[] = [];
    const missed = deferred();
    await store.bus.subscribe('a', (message) => received.push(message), missed.resolve);
    await server.kill();
    await server.start();
    await withTimeout(missed.promise, 'onMissed');
    const publish = () => Promise.resolve(store.bus.publish('a', 'back')).then(Boolean, () => false);
    // The other connection may take longer.
    await vi.waitUntil(async () => (await publish(), received.length > 0));
    expect(received[0]).toBe('back');
  });

  it('fails with store-timeout when Redis does not answer', async () => {
    server.pause();
    await expect(async () => store.sessions.read('a')).rejects.toMatchObject({
      code: 'store-timeout',
      hint: expect.stringContaining('commandMs'),
    });
    server.resume();
  });

  it('runs its scripts again after Redis has forgotten them', async () => {
    const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
    await admin.script('FLUSH');
    expect(await store.once.burn('key', later())).toBe(true);
    admin.disconnect();
  });

  it('fails for good after it was closed', async () => {
    await store.close();
    await expect(async () => store.sessions.read('a')).rejects.toMatchObject({ code: 'store-failed' });
    expect(errors).toEqual([]);
  });
});

describe.runIf(hasRedis)('openRedisStore() of a Redis that runs', () => {
  const started = async (): Promise<RedisServer> => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    return server;
  };

  it('[S20] refuses a database that Redis does not have, instead of using another', async () => {
    const { url } = await started();
    await expect(openRedisStore(`${url}/99`)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('DB index is out of range'),
    });
    await (await openRedisStore(`${url}/1`)).close();
  });

  it('[S20] refuses data of a newer version by name, and does not change it', async () => {
    const { url } = await started();
    const admin = await connectRedis(url, { ...patient, onError: () => undefined });
    onTestFinished(() => admin.disconnect());
    await (await openRedisStore(url)).close();
    const { store } = engineKeys('', () => false);
    await admin.hset(store, 'version', 999);
    const contents = await admin.keys('*');
    await expect(openRedisStore(url)).rejects.toMatchObject({ code: 'store-too-new', details: { version: 999 } });
    expect(await admin.hget(store, 'version')).toBe('999');
    expect(await admin.keys('*')).toEqual(contents);
    // Another prefix is another store.
    await (await openRedisStore(url, { prefix: 'other:' })).close();
  });
});

describe('openRedisStore()', () => {
  it.each(['redis://user:secret-password@127.0.0.1:99999', 'redis://:secret-password@127.0.0.1:6379/main'])(
    '[S20] refuses the URL %s by name, and shows no password',
    async (url) => {
      const refused = await openRedisStore(url).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'invalid-argument', details: { place: 'url' } });
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain('secret-password');
    },
  );

  it('names what is wrong with an address or an option, and shows no password', async () => {
    await expect(openRedisStore('localhost:6379')).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(openRedisStore('redis://127.0.0.1:1', { prefx: '' } as never)).rejects.toThrow('prefix');
    const refused = await openRedisStore('redis://user:secret-password@127.0.0.1:1').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(
        /^Redis at 127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. /,
      ),
      hint: expect.stringContaining('Redis runs'),
    });
    expect(String(refused)).not.toContain('secret-password');
  });
});
