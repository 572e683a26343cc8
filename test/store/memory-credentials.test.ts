/** Credentials in memory fulfil the contract of credential stores, and are bounded. */

import { createMemoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { memoryCredentials } from '../../src/store/parts/memory-credentials.ts';
import { testConsentStore } from './consent-contract.ts';
import { testCredentialStore } from './credential-contract.ts';

testCredentialStore('in memory', () => memoryCredentials());

it('deletes the credential that was used least recently beyond maxEntries', async () => {
  const store = memoryCredentials({ maxEntries: 2 });
  await store.swap('a', undefined, 1);
  await store.swap('b', undefined, 2);
  await store.read('a');
  await store.swap('c', undefined, 3);
  expect((await store.read('a'))?.value).toBe(1);
  expect(await store.read('b')).toBeUndefined();
  expect((await store.read('c'))?.value).toBe(3);
});

it('rejects a caller that waited for a lock for lockTimeoutMs, and serves the next', async () => {
  const clock = createFakeClock();
  const store = memoryCredentials({ lockTimeoutMs: 50, ...withClock(clock) });
  const release = await store.lock('a');
  const late = store.lock('a');
  clock.advance(50);
  await expect(late).rejects.toMatchObject({ code: 'timeout' });
  const next = store.lock('a');
  await release();
  await (await next)();
});

it('names the option that is wrong', () => {
  expect(() => memoryCredentials({ maxEntries: 0 })).toThrow(/maxEntries must be an integer over 0/);
  expect(() => memoryCredentials({ lockTimeoutMs: Number.NaN })).toThrow(/lockTimeoutMs/);
  const misspelt = { maxEntry: 10 } as object;
  expect(() => memoryCredentials(misspelt)).toThrow(/maxEntry is not an option.*maxEntries and lockTimeoutMs/);
});

testCredentialStore('of a store in memory', () => createMemoryStore().credentials);
testConsentStore('in memory', () => createMemoryStore().consents);
