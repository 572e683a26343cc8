/** Where a host stores the lists of its servers, and what it needs of stored lists. */
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { ListedKind } from '../../ports/lock.ts';
import type { HostServer, Listed } from '../servers/host-server.ts';

/** Stores lists of servers as text. `listsFolder()` makes one of files. */
export interface ListStore {
  /** The text of a key; `undefined` if there is none. */
  read(key: string): MaybePromise<string | undefined>;
  /** Stores a text, or deletes it where it is `undefined`. */
  write(key: string, text: string | undefined): MaybePromise<void>;
}

/** A list as it was stored. */
export interface StoredItems extends Listed<object> {
  /** Whether the user has approved it: then it is not compared with the lock again. */
  readonly isApproved: boolean;
}

/** The lists of servers that are not connected. */
export interface StoredLists {
  /** `undefined`: the list is requested from the server. */
  read(kind: ListedKind, hostServer: HostServer): Promise<StoredItems | undefined>;
  /** A server has listed a kind, all of it. Never throws. */
  write(kind: ListedKind, hostServer: HostServer, items: readonly object[]): Promise<void>;
  /** Throws if an item that was listed from the store is another one on the server. Starts the server if that is not known. */
  confirm(kind: ListedKind, hostServer: HostServer, name: string): Promise<void>;
  /** The instructions of a server whose lists were read. */
  instructions(server: string): string | undefined;
  /** The server was removed from the host. */
  forget(server: string): void;
}

/** Servers in this process are connected without cost: nothing of them is stored. */
export const isStorable = ({ origin, connected }: HostServer): boolean =>
  connected === undefined && ('url' in origin || 'args' in origin);
