/** Changes on all servers as one stream; equal changes are queued once. */

import type { Change } from '../../client/api/changes.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import { createCoalescingQueue } from '../../client/changes/coalescing-queue.ts';

export interface HostChange {
  readonly server: string;
  /** What has changed there: a list, or the state of the connection. */
  readonly change: Change | { readonly type: 'connection'; readonly state: ConnectionState };
}

export interface HostChanges extends AsyncIterable<HostChange>, AsyncDisposable {
  close(): Promise<void>;
}

export interface ChangeBroadcast {
  open(): HostChanges;
  readonly isRead: boolean;
  put(change: HostChange): void;
  end(): void;
}

interface Reader {
  put(change: HostChange): void;
  end(): void;
  next(): Promise<IteratorResult<HostChange, undefined>>;
}

/** `onReaders` is called when the first reader comes and when the last one leaves. */
export function createChangeBroadcast(onReaders: (isRead: boolean) => void): ChangeBroadcast {
  const readers = new Set<Reader>();
  let isClosed = false;

  function close(reader: Reader): void {
    reader.end();
    if (readers.delete(reader) && readers.size === 0) onReaders(false);
  }

  return {
    open() {
      const reader = createReader();
      if (isClosed) reader.end();
      else readers.add(reader);
      if (readers.size === 1) onReaders(true);
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
    get isRead() {
      return readers.size > 0;
    },
    put: (change) => readers.forEach((reader) => reader.put(change)),
    end() {
      isClosed = true;
      readers.forEach(close);
    },
  };
}

/** A server has at most four places in the queue, so none crowds out another. */
function createReader(): Reader {
  const waiting = createCoalescingQueue<HostChange>();
  return {
    put: (change) => waiting.put(JSON.stringify([change.server, change.change.type]), change),
    end: () => waiting.end(),
    next: waiting.next,
  };
}
