/** What a store of credentials and answers does that several processes share; the test of each driver runs these tests. */
import type { ConsentStore, CredentialStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { withTimeout } from '../kit/with-timeout.ts';
import { consentUntil } from './consent-contract.ts';

export interface CredentialsUnderTest {
  readonly credentials: CredentialStore;
  readonly consents: ConsentStore;
  close(): Promise<void>;
}

export interface SharedCredentials {
  /** Opens the store once more, as another process does. Rooms and times: `maxEntries` 3, `lockTimeoutMs` 60,000. */
  open(options?: { lockTimeoutMs: number }): Promise<CredentialsUnderTest>;
  /** Moves the clock of the store, by which leases end. */
  advance(ms: number): void;
  now(): number;
}

export function testSharedCredentials(name: string, start: () => SharedCredentials | Promise<SharedCredentials>): void {
  describe(`credentials of several processes ${name}`, () => {
    it('are seen by each of them, and swapped by one [S20, S31]', async () => {
      const { open } = await start();
      const [one, other] = await Promise.all([open(), open()]);
      await one.credentials.swap('a', undefined, { token: 1 });
      const stored = await other.credentials.read('a');
      expect(stored?.value).toEqual({ token: 1 });
      const swaps = [one, other, one, other].map(({ credentials }) => credentials.swap('a', stored?.version, 2));
      expect((await Promise.all(swaps)).filter(Boolean)).toEqual([true]);
      await Promise.all([one.close(), other.close()]);
    });

    it('are locked by one of them at a time [S20, S31]', async () => {
      const { open } = await start();
      const all = await Promise.all([open(), open(), open()]);
      let holders = 0;
      let most = 0;
      const use = async ({ credentials }: CredentialsUnderTest): Promise<void> => {
        const release = await credentials.lock('a');
        most = Math.max(most, ++holders);
        await credentials.read('a');
        holders--;
        await release();
      };
      await withTimeout(Promise.all([...all, ...all, ...all].map(use)), 'nine locks');
      expect(most).toBe(1);
      await Promise.all(all.map((one) => one.close()));
    });

    it('have a lock that a process which died loses after its lease, and not before [S20, S31]', async () => {
      const { open, advance } = await start();
      const [dead, alive] = await Promise.all([open(), open({ lockTimeoutMs: 1 })]);
      const late = await dead.credentials.lock('a');
      await dead.close();
      await expect(alive.credentials.lock('a')).rejects.toMatchObject({ code: 'timeout' });
      advance(29_000);
      await expect(alive.credentials.lock('a')).rejects.toMatchObject({ code: 'timeout' });
      advance(1000);
      const release = await alive.credentials.lock('a');
      // One that was only paused cannot release the lock of its successor.
      await late();
      const third = await open({ lockTimeoutMs: 1 });
      await expect(third.credentials.lock('a')).rejects.toMatchObject({ code: 'timeout' });
      await release();
      await (await third.credentials.lock('a'))();
      await Promise.all([alive.close(), third.close()]);
    });

    it('are not stored beyond maxEntries, and are still replaced there [S20]', async () => {
      const { open } = await start();
      const { credentials, close } = await open();
      for (const key of ['a', 'b', 'c']) await credentials.swap(key, undefined, key);
      await expect(credentials.swap('d', undefined, 'd')).rejects.toMatchObject({
        code: 'store-failed',
        hint: expect.stringContaining('credentials.maxEntries'),
      });
      expect(await credentials.swap('a', (await credentials.read('a'))?.version, 'new')).toBe(true);
      await credentials.swap('b', (await credentials.read('b'))?.version, undefined);
      expect(await credentials.swap('d', undefined, 'd')).toBe(true);
      await close();
    });

    it('leave answers of users that have not expired, and give the room of expired ones to others [S20]', async () => {
      const { open, advance, now } = await start();
      const [one, other] = await Promise.all([open(), open()]);
      for (const key of ['a', 'b']) await one.consents.write(key, consentUntil(now() + 60_000));
      await one.consents.write('short', consentUntil(now() + 1000));
      await expect(async () => other.consents.write('d', consentUntil(now() + 60_000))).rejects.toMatchObject({
        code: 'store-failed',
        hint: expect.stringContaining('consents.maxEntries'),
      });
      await other.consents.write('a', consentUntil(now() + 60_000, { rule: 'new' }));
      advance(1000);
      await other.consents.write('d', consentUntil(now() + 60_000));
      expect(await one.consents.read('a')).toMatchObject({ rule: 'new' });
      expect(await one.consents.read('d')).toBeDefined();
      expect(await one.consents.read('short')).toBeUndefined();
      await Promise.all([one.close(), other.close()]);
    });
  });
}
