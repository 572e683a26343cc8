/** Locks by key between the callers of one process: first come, first served. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';

/** Waits for the lock of a key, at most `timeoutMs`. The result releases it; a second call has no effect. */
export type AcquireLock = (key: string, timeoutMs: number, signal?: AbortSignal) => Promise<() => void>;

/**
 * Callers of a process that wait for one lock.
 * @limit credentials
 * @beyond the call fails
 * @code queue-full
 */
const maxWaiting = 10_000;

/** Names no key: it may have the URL of a server in it. */
export const lockTimeout = (timeoutMs: number, cause?: unknown): TenonError =>
  new TenonError('timeout', `The lock was not released within ${timeoutMs} ms.`, {
    hint: 'Another caller or process holds it. Try again when it has finished.',
    details: { timeoutMs },
    ...(cause === undefined ? {} : { cause }),
  });

export function createKeyLocks(deadlines: Deadlines = processDeadlines()): AcquireLock {
  /** A key is in it while its lock is held; the set has the callers that wait, in order. */
  const held = new Map<string, Set<() => void>>();

  function releaser(key: string): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const waiting = held.get(key);
      const [next] = waiting ?? [];
      if (next === undefined) held.delete(key);
      else {
        waiting?.delete(next);
        next();
      }
    };
  }

  return (key, timeoutMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiting = held.get(key);
      if (waiting === undefined) {
        held.set(key, new Set());
        return resolve(releaser(key));
      }
      if (waiting.size >= maxWaiting) return reject(tooManyWaiting());
      const leave = (): void => {
        waiting.delete(enter);
        deadlines.cancel(deadline);
        if (signal !== undefined) stopListening(signal, onAbort);
      };
      const enter = (): void => {
        leave();
        resolve(releaser(key));
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const deadline = deadlines.add(timeoutMs, () => {
        leave();
        reject(lockTimeout(timeoutMs));
      });
      waiting.add(enter);
      if (signal !== undefined) listenForAbort(signal, onAbort);
    });
}

const tooManyWaiting = (): TenonError =>
  new TenonError('queue-full', `${maxWaiting} callers wait for the lock of one stored credential.`, {
    hint: 'Share one client between the callers.',
    details: { maxWaiting },
  });
