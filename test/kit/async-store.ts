/** A store in memory whose every answer comes later, as those of a store on another machine do. */
import { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from 'tenon/store';

/** Everything is done in the order it was asked for, in a later turn of the loop. */
const later = <T>(run: () => T | Promise<T>): Promise<T> =>
  new Promise<void>((resolve) => setImmediate(resolve)).then(run);

export function asyncStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { sessions, events, bus, clear } = createMemoryStore(options);
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
    clear,
  };
}
