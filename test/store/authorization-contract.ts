/** What every store of an authorization server does; each store runs these tests. */
import type { AuthorizationStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';

export interface AuthorizationsUnderTest {
  readonly store: AuthorizationStore;
  /** Moves the clock by which rows expire. */
  advance(ms: number): void;
}

export function testAuthorizationStore(
  name: string,
  start: () => AuthorizationsUnderTest | Promise<AuthorizationsUnderTest>,
): void {
  describe(`rows of an authorization server ${name}`, () => {
    it('are read as they were written, by their kind and ID only', async () => {
      const { store } = await start();
      expect(await store.read('Grant', 'a')).toBeUndefined();
      expect(await store.write('Grant', 'a', { text: '{"ä 🌍":"\\u0000"}' })).toBe(true);
      expect(await store.read('Grant', 'a')).toMatchObject({ text: '{"ä 🌍":"\\u0000"}' });
      expect(await store.read('Grant', 'a ')).toBeUndefined();
      expect(await store.read('Session', 'a')).toBeUndefined();
      await store.write('Grant', 'a', { text: 'second' });
      expect(await store.read('Grant', 'a')).toMatchObject({ text: 'second' });
    });

    it('are deleted, and only in the version that was read where one is passed', async () => {
      const { store } = await start();
      await store.write('Grant', 'a', { text: '1' });
      const first = await store.read('Grant', 'a');
      await store.write('Grant', 'a', { text: '1' });
      expect(await store.delete('Grant', 'a', first?.version)).toBe(false);
      expect(await store.delete('Grant', 'a')).toBe(true);
      expect(await store.delete('Grant', 'a')).toBe(false);
      expect(await store.read('Grant', 'a')).toBeUndefined();
    });

    it('are written under a condition by one of many writers', async () => {
      const { store } = await start();
      const create = (text: string) => store.write('Code', 'a', { text, when: 'absent' });
      const created = await Promise.all(['1', '2', '3', '4', '5'].map(create));
      expect(created.filter(Boolean)).toHaveLength(1);
      const { version = '' } = (await store.read('Code', 'a')) ?? {};
      const change = (text: string) => store.write('Code', 'a', { text, when: { version } });
      const changed = await Promise.all(['6', '7', '8', '9'].map(change));
      expect(changed.filter(Boolean)).toHaveLength(1);
      const wins = ['6', '7', '8', '9'][changed.indexOf(true)];
      expect(await store.read('Code', 'a')).toMatchObject({ text: wins });
      expect(await store.write('Code', 'b', { text: '', when: { version } })).toBe(false);
      expect(await store.read('Code', 'b')).toBeUndefined();
    });

    it('that anyone can have stored: the share with most of them makes room for the others', async () => {
      const { store } = await start();
      const write = (id: string, share: string) =>
        store.write('Interaction', id, { text: id, alias: `uid ${id}`, max: 12, share, expiresInMs: 600_000 });
      await write('early', 'one');
      for (let n = 0; n < 40; n++) await write(`flood ${n}`, 'flooding');
      for (const [id, share] of [
        ['second', 'two'],
        ['third', 'three'],
        ['again', 'one'],
      ] as const)
        expect(await write(id, share)).toBe(true);
      for (let n = 40; n < 60; n++) await write(`flood ${n}`, 'flooding');
      for (const id of ['early', 'second', 'third', 'again'])
        expect(await store.readByAlias('Interaction', `uid ${id}`)).toMatchObject({ text: id });
      expect(await store.read('Interaction', 'flood 0')).toBeUndefined();
      expect(await store.readByAlias('Interaction', 'uid flood 0')).toBeUndefined();
      expect(await store.read('Interaction', 'flood 59')).toBeDefined();
    });

    it('that have no share, or one each, are never dropped for room', async () => {
      const { store } = await start();
      for (const id of ['a', 'b']) await store.write('Session', id, { text: id, max: 3 });
      await store.write('Session', 'c', { text: 'c', max: 3, share: 'one' });
      for (const share of ['one', 'two', undefined])
        await expect(
          Promise.resolve(store.write('Session', 'd', { text: 'd', max: 3, ...(share !== undefined && { share }) })),
        ).rejects.toMatchObject({ code: 'store-failed' });
      for (const id of ['a', 'b', 'c']) expect(await store.read('Session', id)).toMatchObject({ text: id });
    });

    it('expire, and have an age on the clock of the store', async () => {
      const { store, advance } = await start();
      await store.write('Code', 'a', { text: '1', expiresInMs: 1000 });
      await store.write('Code', 'lasting', { text: '1' });
      advance(600);
      const aged = await store.read('Code', 'a');
      expect(aged?.ageMs).toBeGreaterThanOrEqual(600);
      await store.write('Code', 'a', { text: '2', expiresInMs: 1000, when: { version: aged?.version ?? '' } });
      advance(600);
      expect(await store.read('Code', 'a')).toMatchObject({ text: '2' });
      advance(400);
      expect(await store.read('Code', 'a')).toBeUndefined();
      expect(await store.delete('Code', 'a')).toBe(false);
      expect(await store.write('Code', 'a', { text: '3', when: 'absent' })).toBe(true);
      advance(50_000_000_000);
      expect(await store.read('Code', 'lasting')).toMatchObject({ text: '1' });
    });

    it('are found by an alias while they exist, the last one that has it', async () => {
      const { store, advance } = await start();
      await store.write('Session', 'a', { text: '1', alias: 'uid', expiresInMs: 1000 });
      expect(await store.readByAlias('Session', 'uid')).toMatchObject({ text: '1' });
      expect(await store.read('Session', 'uid')).toBeUndefined();
      expect(await store.readByAlias('Session', 'a')).toBeUndefined();
      await store.write('Session', 'b', { text: '2', alias: 'uid', expiresInMs: 1000 });
      expect(await store.readByAlias('Session', 'uid')).toMatchObject({ text: '2' });
      await store.delete('Session', 'b');
      expect(await store.readByAlias('Session', 'uid')).toBeUndefined();
      await store.write('Session', 'c', { text: '3', alias: 'other', expiresInMs: 1000 });
      advance(1000);
      expect(await store.readByAlias('Session', 'other')).toBeUndefined();
    });

    it('are refused beyond max by name, each kind apart, until some are gone', async () => {
      const { store, advance } = await start();
      const flow = (id: string) => store.write('Flow', id, { text: id, max: 3, expiresInMs: 1000, alias: `of ${id}` });
      for (const id of ['a', 'b', 'c']) expect(await flow(id)).toBe(true);
      await expect(async () => flow('d')).rejects.toMatchObject({
        code: 'store-failed',
        details: { limit: 'authorizations', kind: 'Flow' },
      });
      expect(await store.read('Flow', 'd')).toBeUndefined();
      expect(await store.readByAlias('Flow', 'of d')).toBeUndefined();
      expect(await flow('a')).toBe(true);
      expect(await store.write('Grant', 'd', { text: '' })).toBe(true);
      await store.delete('Flow', 'b');
      expect(await flow('d')).toBe(true);
      advance(1000);
      for (const id of ['e', 'f', 'g']) expect(await flow(id)).toBe(true);
    });
  });
}
