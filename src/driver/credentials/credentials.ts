/** Credentials in a store: rows of texts, and locks that hold between machines as long as their holder renews them. */
import { setTimeout as wait } from 'node:timers/promises';
import { type MaybePromise, runInBackground } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../../store/codec.ts';
import type { CredentialStore } from '../../store/credentials/credential-store.ts';
import { createKeyLocks, lockTimeout } from '../../store/credentials/key-locks.ts';
import { credentialText } from '../../store/credentials/memory.ts';
import type { StoredCredentialsOptions } from './options.ts';

/** A stored text, and its version. */
export interface CredentialRow {
  readonly text: string;
  readonly version: string;
}

/** What a driver stores: texts and locks by name. Each operation is atomic. */
export interface CredentialRows {
  read(name: string): MaybePromise<CredentialRow | undefined>;
  /** Stores a row, or deletes it, if the name still has this version. Without room it fails with `store-failed`. */
  swap(name: string, version: string | undefined, row: CredentialRow | undefined): MaybePromise<boolean>;
  /** Takes a lock, or renews it, until `leaseMs` from now. False while another holder has it. */
  hold(name: string, holder: string, leaseMs: number): MaybePromise<boolean>;
  /** Releases a lock if it is this holder's. */
  release(name: string, holder: string): MaybePromise<void>;
}

/** How long a waiting process pauses before it tries again: from the shortest to the longest. */
const shortestPauseMs = 2;
const longestPauseMs = 200;

export function credentialsIn(rows: CredentialRows, codec: Codec, options: StoredCredentialsOptions): CredentialStore {
  const { lockTimeoutMs = 300_000, lockLeaseMs = 30_000 } = options;
  // Callers of this process wait in memory: only one of them at a time asks the store.
  const acquireInProcess = createKeyLocks();
  const nameOf = (key: string): string => codec.name(['credential', key]);
  const pathOf = (name: string): Path => ['credential', name];

  /** Others hold the lock until they release it, or until their lease ends. */
  async function acquire(name: string, holder: string, until: number, signal?: AbortSignal): Promise<void> {
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      signal?.throwIfAborted();
      if (await rows.hold(name, holder, lockLeaseMs)) return;
      if (performance.now() >= until) throw lockTimeout(lockTimeoutMs);
      // Jitter: processes that wait together must not try again together.
      await wait(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /** Renews the lease while the lock is held. A lock that cannot be released is free when its lease ends. */
  function holding(name: string, holder: string, leave: () => void): () => Promise<void> {
    const renew = (): void => runInBackground(() => rows.hold(name, holder, lockLeaseMs), ignored);
    const timer = setInterval(renew, lockLeaseMs / 3);
    // A program that ends without releasing it leaves a lock that others take over.
    timer.unref();
    let released: Promise<void> | undefined;
    const release = async (): Promise<void> => {
      clearInterval(timer);
      try {
        await rows.release(name, holder);
      } catch {
      } finally {
        leave();
      }
    };
    return () => (released ??= release());
  }

  return {
    async read(key) {
      const name = nameOf(key);
      const row = await rows.read(name);
      return row && { value: JSON.parse(codec.open(pathOf(name), row.text)), version: row.version };
    },
    async swap(key, version, value) {
      const text = credentialText(value);
      const name = nameOf(key);
      const row =
        text === undefined ? undefined : { text: codec.seal(pathOf(name), text), version: crypto.randomUUID() };
      return rows.swap(name, version, row);
    },
    async lock(key, signal) {
      signal?.throwIfAborted();
      const until = performance.now() + lockTimeoutMs;
      const [name, holder] = [nameOf(key), crypto.randomUUID()];
      const leave = await acquireInProcess(name, lockTimeoutMs, signal);
      try {
        await acquire(name, holder, until, signal);
      } catch (error) {
        leave();
        // A store that did not answer in time may have given the lock.
        runInBackground(() => rows.release(name, holder), ignored);
        throw error;
      }
      return holding(name, holder, leave);
    },
  };
}

const ignored = (): void => undefined;
