/** Floods of sign-ins that end at once: what they were found by goes with them. */
import { createStore, type Op, type StoreDriver } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { createMemoryDriver } from '../../../src/store/memory/memory-driver.ts';

/** A store, and the keys of the rows that it has. */
function start() {
  const driver = createMemoryDriver();
  const keys = new Set<string>();
  const counted: StoreDriver = {
    ...driver,
    name: 'counted',
    durability: 'disk',
    epoch: driver.epoch,
    async run(partition: string, ops: readonly Op[]) {
      const ran = await driver.run(partition, ops);
      if (ran.failed === undefined)
        for (const op of ops)
          if (op.op === 'put') keys.add(op.key);
          else if (op.op === 'delete') keys.delete(op.key);
      return ran;
    },
  };
  return { store: createStore(counted).authorizations, keys };
}

const lasting = { text: 'text', expiresInMs: 600_000, max: 4 };

describe('the names of rows of an authorization server [S24, S36]', () => {
  it('are deleted with their rows, with and without a share', async () => {
    const { store, keys } = start();
    for (let n = 0; n < 50; n++) {
      const share = n % 2 === 0 ? {} : { share: 'address' };
      await store.write('Interaction', `${n}`, { ...lasting, alias: `uid ${n}`, ...share });
      expect(await store.readByAlias('Interaction', `uid ${n}`)).toMatchObject({ text: 'text' });
      expect(await store.delete('Interaction', `${n}`)).toBe(true);
    }
    expect(keys.size).toBe(0);
  });

  it('are replaced with those that a row is written with', async () => {
    const { store, keys } = start();
    for (let n = 0; n < 50; n++) await store.write('Session', 'one', { ...lasting, alias: `uid ${n}` });
    expect(keys.size).toBe(2);
    expect(await store.readByAlias('Session', 'uid 49')).toMatchObject({ text: 'text' });
    expect(await store.readByAlias('Session', 'uid 0')).toBeUndefined();
  });

  it('stay with a row of another version that was not deleted, and with a row that has taken them', async () => {
    const { store } = start();
    await store.write('Session', 'one', { ...lasting, alias: 'uid' });
    expect(await store.delete('Session', 'one', 'another version')).toBe(false);
    expect(await store.readByAlias('Session', 'uid')).toMatchObject({ text: 'text' });
    await store.write('Session', 'two', { ...lasting, text: 'second', alias: 'uid' });
    expect(await store.delete('Session', 'one')).toBe(true);
    expect(await store.readByAlias('Session', 'uid')).toMatchObject({ text: 'second' });
  });
});
