/** A memory store that answers asynchronously, as a store on another machine does. */
import { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from 'tenon/store';

/** Runs operations in the order of the calls, in a later turn of the event loop. */
const later = <T>(run: () => T | Promise<T>): Promise<T> =>
  new Promise<void>((resolve) => setImmediate(resolve)).then(run);

export function asyncStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { sessions, events, bus, once, nodes, ...others } = createMemoryStore(options);
  return {
    sessions: {
      get epoch() {
        return sessions.epoch;
      },
      create: (...given) => later(() => sessions.create(...given)),
      read: (...given) => later(() => sessions.read(...given)),
      update: (...given) => later(() => sessions.update(...given)),
      delete: (...given) => later(() => sessions.delete(...given)),
      deleteExpired: () => sessions.deleteExpired(),
    },
    events: {
      append: (...given) => later(() => events.append(...given)),
      readAfter: (...given) => later(() => events.readAfter(...given)),
      end: (...given) => later(() => events.end(...given)),
      deleteSession: (...given) => later(() => events.deleteSession(...given)),
    },
    bus: {
      publish: (...given) => later(() => bus.publish(...given)),
      subscribe: (...given) => later(() => bus.subscribe(...given)),
    },
    once: {
      burn: (...given) => later(() => once.burn(...given)),
      begin: (...given) => later(() => once.begin(...given)),
      end: (...given) => later(() => once.end(...given)),
      release: (...given) => later(() => once.release(...given)),
      renew: (...given) => later(() => once.renew(...given)),
    },
    nodes: {
      beat: (...given) => later(() => nodes.beat(...given)),
      leave: (...given) => later(() => nodes.leave(...given)),
    },
    ...others,
  };
}
