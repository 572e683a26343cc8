/** Credentials on an engine: a row each, and locks that hold between machines as long as their holder renews them. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import type { Codec } from '../codec.ts';
import type { CredentialStore } from '../credential-store.ts';
import type { Op, StoreDriver } from '../driver.ts';
import { createKeyLocks, lockTimeout } from './key-locks.ts';
import { credentialText } from './memory-credentials.ts';
import { rowIn } from './runs.ts';

const partition = 'credentials';

/** How long a waiting process pauses before it tries again: from the shortest to the longest. */
const shortestPauseMs = 2;
const longestPauseMs = 200;

/** How many credentials are stored, and how long locks are waited for and held. */
export interface CredentialLimits {
  readonly maxEntries: number;
  readonly lockTimeoutMs: number;
  /** How long the lock of a process that died, or lost the store, stays taken. */
  readonly lockLeaseMs: number;
}

export function credentialsOn(
  driver: StoreDriver,
  codec: Codec,
  { maxEntries, lockTimeoutMs, lockLeaseMs }: CredentialLimits,
  deadlines: Deadlines = processDeadlines(),
): CredentialStore {
  const nameOf = (key: string): string => codec.name(['credential', key]);
  const valueKey = (name: string): string => `value:${name}`;
  const locks = credentialLocks(driver, lockTimeoutMs, lockLeaseMs, deadlines);

  return {
    async read(key) {
      const name = nameOf(key);
      const ran = await driver.run(partition, [{ op: 'get', key: valueKey(name) }]);
      const row = ran.failed === undefined ? rowIn(ran.results[0]) : undefined;
      if (row?.data === undefined) return undefined;
      return { value: JSON.parse(codec.open(['credential', name], row.data)), version: row.version };
    },
    async swap(key, version, value) {
      const text = credentialText(value);
      const name = nameOf(key);
      const when = version === undefined ? 'absent' : { version };
      if (text === undefined)
        return (
          (await driver.run(partition, [{ op: 'delete', key: valueKey(name), when }], 'disk')).failed === undefined
        );
      const data = codec.seal(['credential', name], text);
      const groups = [{ name: 'values', max: maxEntries }];
      const put = { op: 'put', key: valueKey(name), when, version: crypto.randomUUID(), data, groups } as const;
      const ran = await driver.run(partition, [put], 'disk');
      if (ran.failed === undefined) return true;
      if (ran.why === 'full') throw noRoom('credentials', maxEntries);
      return false;
    },
    lock: (key, signal) => locks(nameOf(key), signal),
  };
}

/** Locks that hold between processes, as long as their holder renews them. */
function credentialLocks(driver: StoreDriver, lockTimeoutMs: number, lockLeaseMs: number, deadlines: Deadlines) {
  // Callers of this process wait in memory: only one of them at a time asks the store.
  const acquireInProcess = createKeyLocks(deadlines);
  const lockKey = (name: string): string => `lock:${name}`;
  const isDone = async (ops: readonly Op[]): Promise<boolean> =>
    (await driver.run(partition, ops, 'disk')).failed === undefined;

  const hold = (name: string, holder: string): Promise<boolean> =>
    isDone([{ op: 'put', key: lockKey(name), when: { absentOr: holder }, version: holder, expiresInMs: lockLeaseMs }]);
  const release = (name: string, holder: string): Promise<boolean> =>
    isDone([{ op: 'delete', key: lockKey(name), when: { version: holder } }]);

  /** Others hold the lock until they release it, or until their lease ends. */
  async function acquire(name: string, holder: string, until: number, signal?: AbortSignal): Promise<void> {
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      signal?.throwIfAborted();
      if (await hold(name, holder)) return;
      if (deadlines.now() >= until) throw lockTimeout(lockTimeoutMs);
      // Jitter: processes that wait together must not try again together.
      await pause(pauseMs * (0.5 + Math.random()), signal);
    }
  }

  function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const leave = (): void => {
        deadlines.cancel(deadline);
        if (signal !== undefined) stopListening(signal, leave);
        resolve();
      };
      const deadline = deadlines.add(ms, leave);
      if (signal !== undefined) listenForAbort(signal, leave);
    });
  }

  /** Renews the lease while the lock is held. A lock that cannot be released is free when its lease ends. */
  function holding(name: string, holder: string, leave: () => void): () => Promise<void> {
    // A program that ends without releasing it leaves a lock that others take over.
    const renewLater = () =>
      deadlines.add(
        lockLeaseMs / 3,
        () => {
          renewal = renewLater();
          runInBackground(() => hold(name, holder), ignored);
        },
        false,
      );
    let renewal = renewLater();
    let released: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      deadlines.cancel(renewal);
      try {
        await release(name, holder);
      } catch {
      } finally {
        leave();
      }
    };
    return () => (released ??= end());
  }

  return async (name: string, signal?: AbortSignal): Promise<() => Promise<void>> => {
    signal?.throwIfAborted();
    const until = deadlines.now() + lockTimeoutMs;
    const holder = crypto.randomUUID();
    const leave = await acquireInProcess(name, lockTimeoutMs, signal);
    try {
      await acquire(name, holder, until, signal);
    } catch (error) {
      leave();
      // A store that did not answer in time may have given the lock.
      runInBackground(() => release(name, holder), ignored);
      throw error;
    }
    return holding(name, holder, leave);
  };
}

const ignored = (): void => undefined;

/** `option` is `credentials` or `consents`. */
export const noRoom = (option: string, maxEntries: number): TenonError =>
  new TenonError('store-failed', `Nothing was stored: the store has ${maxEntries} ${option}.`, {
    hint: `Delete those that are not used, or raise ${option}.maxEntries.`,
    details: { limit: `${option}.maxEntries` },
  });
