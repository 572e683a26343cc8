/** A replica of Redis that takes over, at an address that follows the master, as a proxy beside Sentinel makes it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { openRedisStore } from 'tenon/redis';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { deferred } from '../kit/deferred.ts';
import { closeEngines, cluster, create, reached, textOf } from '../server/tasks/engine/cluster.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

afterEach(closeEngines);

const portOf = ({ url }: RedisServer): number => Number(new URL(url).port);

/** An address whose new connections go to the master of the moment. Those that are open stay where they are. */
async function followingAddress(first: RedisServer) {
  let target = portOf(first);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.once('close', () => to.destroy());
      from.pipe(to);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    follow: (master: RedisServer) => void (target = portOf(master)),
  };
}

/** A master with a replica that has all its data, and a store at the address of the master. */
async function replicated() {
  const [master, replica] = await Promise.all([startRedis(), startRedis()]);
  const admins = await Promise.all([master, replica].map(({ url }) => connectRedis(url, { ...patient, onError() {} })));
  const [ofMaster, ofReplica] = admins as [(typeof admins)[0], (typeof admins)[0]];
  const address = await followingAddress(master);
  await ofReplica.replicaof('127.0.0.1', portOf(master));
  const store = await openRedisStore(address.url, { timeouts: patient });
  onTestFinished(async () => {
    await closeEngines();
    await store.close();
    for (const admin of admins) admin.disconnect();
    await Promise.all([master.close(), replica.close()]);
  });
  return {
    master,
    store,
    /** Resolves when the replica has what was written so far. */
    async replicates() {
      await ofMaster.set('written', 'last');
      await ofMaster.wait(1, 0);
    },
    /** The replica becomes the master. */
    async promote() {
      await ofReplica.replicaof('NO', 'ONE');
      address.follow(replica);
    },
    /** The master goes on as a replica, with its connections. */
    demote: () => ofMaster.replicaof('127.0.0.1', portOf(replica)),
  };
}

describe.runIf(hasRedis)('A store in Redis whose replica takes over', () => {
  it('fails by name at a master that became a replica, and goes on at the new one by the same address [S31]', async () => {
    const { store, replicates, promote, demote } = await replicated();
    const until = Date.now() + 60_000;
    await store.sessions.create('a', { head: 'x' }, until);
    await replicates();
    await promote();
    await demote();
    await expect(async () => store.sessions.create('b', {}, until)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('READONLY'),
      hint: expect.stringContaining('replica'),
    });
    const create = async (): Promise<unknown> => store.sessions.create('b', {}, until);
    await vi.waitUntil(
      () =>
        create().then(
          () => true,
          () => false,
        ),
      60_000,
    );
    expect(await store.sessions.read('a')).toEqual({ head: 'x' });
  });

  it('goes on with a task that runs, whose steps it has, after the master was killed [S18, S31]', async () => {
    const { master, store, replicates, promote } = await replicated();
    const { join } = cluster(() => store);
    const [stored, go] = [deferred(), deferred()];
    const steps: string[] = [];
    const node = join(async (_, ctx) => {
      await ctx.step('one', () => void steps.push('one'));
      stored.resolve();
      await go.promise;
      await ctx.step('two', () => void steps.push('two'));
      return 'done';
    });
    const made = await create(node);
    await stored.promise;
    await replicates();
    await master.kill();
    await promote();
    const read = (): Promise<unknown> => node.read(made.row.id, 'ann').catch(() => undefined);
    await vi.waitUntil(read, 60_000);
    go.resolve();
    await reached(node, made, 'completed');
    expect([await textOf(node, made), steps]).toEqual(['done', ['one', 'two']]);
  });
});
