/** Chooses where lists of servers that are not connected come from: the lock, or a store of lists. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Lock } from '../../ports/lock.ts';
import { listsFromLock } from './from-lock.ts';
import { listsFromStore, type StoredListPorts } from './from-store.ts';
import type { ListStore, StoredLists } from './list-store.ts';

export interface ListSettings {
  readonly lists?: 'live' | 'stored' | undefined;
  readonly listStore?: ListStore | undefined;
  readonly lock?: Lock | Promise<Lock> | undefined;
}

/** `undefined`: lists are requested from the servers. */
export function createStoredLists(
  { lists, listStore, lock }: ListSettings,
  ports: Omit<StoredListPorts, 'store'>,
): StoredLists | undefined {
  if (lists !== 'stored') return undefined;
  if (lock !== undefined) return listsFromLock(Promise.resolve(lock));
  if (listStore !== undefined) return listsFromStore({ ...ports, store: listStore });
  throw new TenonError(
    'invalid-argument',
    "createHost(): lists is 'stored', and there is neither a lock nor a listStore.",
    {
      hint: "Pass lock: 'mcp.lock', or a listStore, such as listsFolder() on Node.",
      details: { place: 'listStore' },
    },
  );
}
