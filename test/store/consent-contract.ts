/** What every store of answers does; each store runs these tests. */
import type { ConsentStore, StoredConsent } from 'tenon/store';
import { describe, expect, it } from 'vitest';

export const consentUntil = (expiresAt: number, change: Partial<StoredConsent> = {}): StoredConsent => ({
  principal: 'https://id.example ada',
  server: 'notes',
  identity: 'a1',
  type: 'tool',
  name: 'delete_note',
  definition: 'b2',
  rule: 'ask before deleting',
  arguments: '',
  shown: 'c3',
  answeredAt: 1,
  expiresAt,
  ...change,
});

const year = 31_536_000_000;

export function testConsentStore(name: string, make: () => ConsentStore | Promise<ConsentStore>): void {
  describe(`answers of users ${name}`, () => {
    const later = (): number => Date.now() + 10 * year;

    it('are read as they were stored, and under no other key [S20]', async () => {
      const store = await make();
      const consent = consentUntil(later(), { name: 'delete ä 🌍 {x}' });
      expect(await store.read('a')).toBeUndefined();
      await store.write('a', consent);
      expect(await store.read('a')).toEqual(consent);
      expect(await store.read('a ')).toBeUndefined();
    });

    it('are replaced and deleted [S20]', async () => {
      const store = await make();
      await store.write('a', consentUntil(later()));
      await store.write('a', consentUntil(later(), { rule: 'another' }));
      expect(await store.read('a')).toMatchObject({ rule: 'another' });
      await store.write('a', undefined);
      await store.write('a', undefined);
      expect(await store.read('a')).toBeUndefined();
    });

    it('do not change when a caller changes what it passed or got [S20]', async () => {
      const store = await make();
      const given: { rule: string } & StoredConsent = consentUntil(later());
      await store.write('a', given);
      given.rule = 'changed';
      const read = (await store.read('a')) as { rule: string };
      read.rule = 'changed';
      expect(await store.read('a')).toMatchObject({ rule: 'ask before deleting' });
    });

    it('are one of those that were written at the same moment [S20]', async () => {
      const store = await make();
      const rules = ['1', '2', '3', '4', '5'];
      await Promise.all(rules.slice(0, 3).map((rule) => store.write('a', consentUntil(later(), { rule }))));
      expect(rules).toContain((await store.read('a'))?.rule);
    });
  });
}
