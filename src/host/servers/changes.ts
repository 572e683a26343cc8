/** Changes on all servers as one stream for each subscription; equal changes are queued once. */

import type { Change } from '../../client/api/changes.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import { covers, wants } from '../../client/changes/changes.ts';
import { createCoalescingQueue } from '../../client/changes/coalescing-queue.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';

/** A change on one server of a host. */
export interface HostChange {
  /** The name of the server. */
  readonly server: string;
  /** A list or a resource that changed, the state of the connection, or that the server was added or removed. */
  readonly change:
    | Change
    | { readonly type: 'connection'; readonly state: ConnectionState }
    | { readonly type: 'server'; readonly state: 'added' | 'removed' };
}

/** A subscription to changes on all servers: iterate over it to receive them. */
export interface HostSubscription extends AsyncIterable<HostChange>, AsyncDisposable {
  /** Ends the subscription. */
  close(): Promise<void>;
}

/** The filter of a subscription for one server. */
export type FilterFor = (server: string) => SubscriptionFilter;

export interface ChangeBroadcast {
  open(filterFor: FilterFor): HostSubscription;
  /** The union of the filters of all subscriptions for a server. */
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

/** A part of the host that needs changes itself, before any reader. */
export interface ChangeObserver {
  readonly filter: SubscriptionFilter;
  onChange(change: HostChange): void;
}

/** `onReaders` is called when a subscription opens or closes. */
export function createChangeBroadcast(onReaders: () => void, observer?: ChangeObserver): ChangeBroadcast {
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
    wanted: (server) =>
      union(
        [...readers].map(({ filterFor }) => filterFor(server)).concat(observer === undefined ? [] : [observer.filter]),
      ),
    put(change) {
      observer?.onChange(change);
      readers.forEach((reader) => reader.put(change));
    },
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

/** How many changes wait with their own URI. After that they are queued as the subscribed URI that covers them. */
const maxWaiting = 1000;

/** The queue of a reader is bounded, so that no server can displace the changes of another. */
function createReader(filterFor: FilterFor): Reader {
  const waiting = createCoalescingQueue<HostChange>();
  const shortened = (server: string, uri: string): string =>
    waiting.size < maxWaiting
      ? uri
      : (filterFor(server).resourceSubscriptions?.find((watched) => covers(watched, uri)) ?? uri);
  return {
    filterFor,
    put({ server, change }) {
      const isAboutServer = change.type === 'connection' || change.type === 'server';
      if (!isAboutServer && !wants(filterFor(server), change)) return;
      const queued = change.type === 'resource' ? { ...change, uri: shortened(server, change.uri) } : change;
      const key = JSON.stringify([server, queued.type, queued.type === 'resource' && queued.uri]);
      waiting.put(key, { server, change: queued });
    },
    end: () => waiting.end(),
    next: waiting.next,
  };
}
