/** Long results of tools in the memory of this process, for one program: without the engine of a whole store, which is larger. */
import type { ResultRoom, ResultStore } from '../result-store.ts';

interface Stored {
  readonly text: string;
  readonly expiresAt: number;
}

export function memoryResults(now: () => number = () => Date.now()): ResultStore {
  /** For each owner the results in the order in which they were written. */
  const owners = new Map<string, Map<string, Stored>>();

  /** Deletes what has expired, and the oldest until there is room. What was written last stays. */
  function makeRoom(results: Map<string, Stored>, { maxResults, maxChars }: ResultRoom): void {
    let chars = 0;
    for (const [key, { text, expiresAt }] of results) {
      if (expiresAt <= now()) results.delete(key);
      else chars += text.length;
    }
    for (const [key, { text }] of results) {
      if (results.size === 1 || (results.size <= maxResults && chars <= maxChars)) return;
      results.delete(key);
      chars -= text.length;
    }
  }

  return {
    write(owner, key, text, room) {
      const results = owners.get(owner) ?? new Map<string, Stored>();
      owners.set(owner, results);
      results.delete(key);
      results.set(key, { text, expiresAt: now() + room.ttlMs });
      makeRoom(results, room);
    },
    read(owner, key) {
      const stored = owners.get(owner)?.get(key);
      return stored !== undefined && stored.expiresAt > now() ? stored.text : undefined;
    },
  };
}
