/** Changes on all servers as one stream for each reader; equal changes are queued once. */

import type { Change } from '../../client/api/changes.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import { covers, wants } from '../../client/changes/changes.ts';
import { createCoalescingQueue } from '../../client/changes/coalescing-queue.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';

/** A change on one server of a host. */
export interface HostChange {
  readonly server: string;
  /** A list or a resource that changed, or the state of the connection. */
  readonly change: Change | { readonly type: 'connection'; readonly state: ConnectionState };
}

/** A subscription to changes on all servers: iterate over it to receive them. */
export interface HostSubscription extends AsyncIterable<HostChange>, AsyncDisposable {
  close(): Promise<void>;
}

/** The filter of a reader for one server. */
export type FilterFor = (server: string) => SubscriptionFilter;

export interface ChangeBroadcast {
  open(filterFor: FilterFor): HostSubscription;
  /** What all readers together want of a server. */
  wanted(server: string): SubscriptionFilter;
  put(change: HostChange): void;
  end(): void;
}

interface Reader {
  readonly filterFor: FilterFor;
  put(change: HostChange): void;
  end(): void;
  next(): Promise<IteratorResult<HostChange, undefined>>;
}

/** `onReaders` is called when a reader comes or leaves. */
export function createChangeBroadcast(onReaders: () => void): ChangeBroadcast {
  const readers = new Set<Reader>();
  let isClosed = false;

  function close(reader: Reader): void {
    reader.end();
    if (readers.delete(reader)) onReaders();
  }

  return {
    open(filterFor) {
      const reader = createReader(filterFor);
      if (isClosed) reader.end();
      else readers.add(reader);
      if (!isClosed) onReaders();
      const leave = async (): Promise<void> => close(reader);
      return {
        close: leave,
        [Symbol.asyncDispose]: leave,
        [Symbol.asyncIterator]: () => ({
          next: () => reader.next(),
          async return() {
            close(reader);
            return { done: true, value: undefined };
          },
        }),
      };
    },
    wanted: (server) => union([...readers].map(({ filterFor }) => filterFor(server))),
    put: (change) => readers.forEach((reader) => reader.put(change)),
    end() {
      isClosed = true;
      readers.forEach(close);
    },
  };
}

const union = (filters: readonly SubscriptionFilter[]): SubscriptionFilter => {
  const uris = new Set(filters.flatMap(({ resourceSubscriptions = [] }) => resourceSubscriptions));
  return {
    toolsListChanged: filters.some(({ toolsListChanged }) => toolsListChanged),
    promptsListChanged: filters.some(({ promptsListChanged }) => promptsListChanged),
    resourcesListChanged: filters.some(({ resourcesListChanged }) => resourcesListChanged),
    resourceSubscriptions: [...uris],
  };
};

/** How many changes wait by the URI of their own resource; after that the URI that is watched stands for them. */
const maxWaiting = 1000;

/** The number of changes that can wait for a reader is bounded, so no server crowds out another. */
function createReader(filterFor: FilterFor): Reader {
  const waiting = createCoalescingQueue<HostChange>();
  const shortened = (server: string, uri: string): string =>
    waiting.size < maxWaiting
      ? uri
      : (filterFor(server).resourceSubscriptions?.find((watched) => covers(watched, uri)) ?? uri);
  return {
    filterFor,
    put({ server, change }) {
      if (change.type !== 'connection' && !wants(filterFor(server), change)) return;
      const kept = change.type === 'resource' ? { ...change, uri: shortened(server, change.uri) } : change;
      const key = JSON.stringify([server, kept.type, kept.type === 'resource' && kept.uri]);
      waiting.put(key, { server, change: kept });
    },
    end: () => waiting.end(),
    next: waiting.next,
  };
}
