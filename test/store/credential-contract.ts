/** What every store of credentials does; each store runs these tests. */

import type { CredentialStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { withTimeout } from '../kit/with-timeout.ts';

export function testCredentialStore(name: string, make: () => CredentialStore | Promise<CredentialStore>): void {
  describe(`credentials ${name}`, () => {
    const key = JSON.stringify(['https://id.example', 'https://mcp.example/mcp']);

    it('reads what was stored, and nothing under another key', async () => {
      const store = await make();
      expect(await store.read(key)).toBeUndefined();
      expect(await store.swap(key, undefined, { accessToken: 'a', list: [1, null] })).toBe(true);
      expect((await store.read(key))?.value).toEqual({ accessToken: 'a', list: [1, null] });
      expect(await store.read(`${key} `)).toBeUndefined();
    });

    it('swaps only the version that was read', async () => {
      const store = await make();
      await store.swap(key, undefined, 1);
      const first = await store.read(key);
      expect(await store.swap(key, undefined, 2)).toBe(false);
      expect(await store.swap(key, first?.version, 2)).toBe(true);
      expect(await store.swap(key, first?.version, 3)).toBe(false);
      expect((await store.read(key))?.value).toBe(2);
    });

    it('changes the version also where the value is the same, or was deleted in between', async () => {
      const store = await make();
      await store.swap(key, undefined, 'same');
      const first = await store.read(key);
      await store.swap(key, first?.version, 'same');
      const second = await store.read(key);
      expect(second?.version).not.toBe(first?.version);
      await store.swap(key, second?.version, undefined);
      await store.swap(key, undefined, 'same');
      expect(await store.swap(key, second?.version, 'late')).toBe(false);
    });

    it('deletes a value only in the version that was read', async () => {
      const store = await make();
      await store.swap(key, undefined, 'value');
      const stored = await store.read(key);
      expect(await store.swap(key, 'other', undefined)).toBe(false);
      expect(await store.swap(key, stored?.version, undefined)).toBe(true);
      expect(await store.read(key)).toBeUndefined();
      expect(await store.swap(key, undefined, undefined)).toBe(true);
    });

    it('is not changed through a value that was passed or returned', async () => {
      const store = await make();
      const value = { scopes: ['a'] };
      await store.swap(key, undefined, value);
      value.scopes.push('b');
      const read = (await store.read(key))?.value as typeof value;
      read.scopes.push('c');
      expect((await store.read(key))?.value).toEqual({ scopes: ['a'] });
    });

    it('loses none of many swaps at once', async () => {
      const store = await make();
      const increment = async (): Promise<void> => {
        for (;;) {
          const stored = await store.read(key);
          if (await store.swap(key, stored?.version, ((stored?.value as number | undefined) ?? 0) + 1)) return;
        }
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      expect((await store.read(key))?.value).toBe(20);
    });

    it('gives the lock of a key to one caller at a time, and of another key at once', async () => {
      const store = await make();
      const order: string[] = [];
      const release = await store.lock(key);
      const useSecond = async (): Promise<void> => {
        const releaseSecond = await store.lock(key);
        order.push('second');
        await releaseSecond();
      };
      const second = useSecond();
      const releaseOther = await withTimeout(store.lock('other'), 'the lock of another key');
      order.push('other');
      await releaseOther();
      await release();
      await release();
      await withTimeout(second, 'the released lock');
      expect(order).toEqual(['other', 'second']);
    });

    it('stops waiting for a lock when the caller cancels', async () => {
      const store = await make();
      const release = await store.lock(key);
      const abort = new AbortController();
      const waiting = store.lock(key, abort.signal);
      abort.abort(new Error('cancelled by the test'));
      await expect(waiting).rejects.toThrow('cancelled by the test');
      await expect(store.lock(key, abort.signal)).rejects.toThrow('cancelled by the test');
      await release();
      const again = await withTimeout(store.lock(key), 'the lock after a cancelled wait');
      await again();
    });

    it('refuses what is not plain JSON or too large, without quoting it', async () => {
      const store = await make();
      const circular: Record<string, unknown> = { token: 'canary-1' };
      circular.self = circular;
      for (const value of [circular, () => 'canary-2', { token: 'canary-3'.repeat(100_000) }]) {
        const error = await store.swap(key, undefined, value).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ code: 'invalid-argument' });
        expect(String(error)).not.toContain('canary');
      }
      expect(await store.read(key)).toBeUndefined();
    });
  });
}
