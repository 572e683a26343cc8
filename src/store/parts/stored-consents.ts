/** Answers of users, in any store that credentials can be in. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ConsentStore, StoredConsent } from '../consent-store.ts';
import type { CredentialStore } from '../credential-store.ts';
import { memoryCredentials } from './memory-credentials.ts';

/** The options of `memoryConsents()`. */
export interface MemoryConsentsOptions {
  /** How many answers are stored; beyond it, the least recently used is deleted, and asked for again. */
  readonly maxEntries?: number;
}

/** Another writer won; then the next attempt has its version. */
const attempts = 5;

export const consentsIn = (store: CredentialStore): ConsentStore => ({
  read: async (key) => (await store.read(key))?.value as StoredConsent | undefined,
  async write(key, consent) {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stored = await store.read(key);
      if (stored === undefined && consent === undefined) return;
      if (await store.swap(key, stored?.version, consent)) return;
    }
    throw new TenonError('store-failed', 'An answer of the user could not be stored: others changed it meanwhile.');
  },
});

/**
 * Creates a store of answers in memory. Hosts of one process that share it share their answers.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, policy, consent, consentStore: memoryConsents() });
 * ```
 */
export const memoryConsents = ({ maxEntries }: MemoryConsentsOptions = {}): ConsentStore =>
  consentsIn(memoryCredentials(maxEntries === undefined ? {} : { maxEntries }));
