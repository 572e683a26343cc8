/** Answers to calls that no gateway has: what they store ends with their requests. */
import { createMemoryStore, type Store } from 'tenon/store';
import { expect, it } from 'vitest';
import { served } from '../../gateway/start.ts';
import { askedAt, askingServer, roundAt, startNode } from '../../gateway/two-nodes.ts';

/** The store, and how many rounds of calls it has now and had in all. */
function counted(store: Store) {
  const rounds = { now: 0, all: 0 };
  const isRound = (key: string): boolean => key.startsWith('gateway-round/');
  const sessions: Store['sessions'] = {
    get epoch() {
      return store.sessions.epoch;
    },
    create: async (key, fields, expires) => {
      await store.sessions.create(key, fields, expires);
      if (!isRound(key)) return;
      rounds.now++;
      rounds.all++;
    },
    read: (key) => store.sessions.read(key),
    update: (key, fields, expires) => store.sessions.update(key, fields, expires),
    delete: async (key) => {
      const isDeleted = await store.sessions.delete(key);
      if (isDeleted && isRound(key)) rounds.now--;
      return isDeleted;
    },
    deleteExpired: () => store.sessions.deleteExpired(),
  };
  return { store: { ...store, sessions }, rounds };
}

it('answers of a caller who disconnects leave nothing in the store, also if no gateway has the call [S24, S36]', async () => {
  const begun: string[] = [];
  const { store, rounds } = counted(createMemoryStore());
  const node = await startNode(await served(askingServer(begun)), store);
  const call = { idempotencyKey: 'key' };
  const orphan = await askedAt(node, 'greet', { call });
  // The repeat has the open call from now on.
  const open = await askedAt(node, 'greet', { call });
  const controller = new AbortController();
  const left = roundAt(node, 'greet', { after: orphan, call: { signal: controller.signal } });
  await expect.poll(() => rounds).toEqual({ now: 1, all: 1 });
  controller.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  await expect.poll(() => rounds).toEqual({ now: 0, all: 1 });
  expect(await roundAt(node, 'greet', { after: open })).toMatchObject({ resultType: 'input_required' });
  expect(begun).toEqual(['greet']);
});
