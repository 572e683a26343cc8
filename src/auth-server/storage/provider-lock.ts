/** One caller at a time uses the refresh token of a user at the provider, on all nodes: many providers accept it once. */
import { createKeyLocks } from '../../store/parts/key-locks.ts';
import type { Store } from '../../store/store.ts';

/** Runs while no other caller does for this user. */
export type ProviderLock = <T>(subject: string, run: () => Promise<T>) => Promise<T>;

/**
 * How long a caller waits for another one.
 * @limit auth-server
 * @default 30 s
 * @beyond 503
 */
const lockWaitMs = 30_000;

/** The lock of the store; within this process for a store that has none. */
export function createProviderLock({ credentials }: Pick<Store, 'credentials'>, issuer: string): ProviderLock {
  const local = createKeyLocks();
  return async (subject, run) => {
    const key = JSON.stringify(['auth-server', issuer, subject]);
    const release = await (credentials === undefined
      ? local(key, lockWaitMs)
      : credentials.lock(key, AbortSignal.timeout(lockWaitMs)));
    try {
      return await run();
    } finally {
      await release();
    }
  };
}
