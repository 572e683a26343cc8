/** A store in memory whose every answer comes later, as those of a store on another machine do. */
import { type MemoryStore, type MemoryStoreOptions, memoryStore } from 'tenon/store';

/** Everything is done in the order it was asked for, in a later turn of the loop. */
const later = <T>(run: () => T | Promise<T>): Promise<T> =>
  new Promise<void>((resolve) => setImmediate(resolve)).then(run);

export function asyncStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { sessions, events, bus, clear } = memoryStore(options);
  return {
    sessions: {
      get epoch() {
        return sessions.epoch;
      },
      create: (...given) => later(() => sessions.create(...given)),
      read: (...given) => later(() => sessions.read(...given)),
      update: (...given) => later(() => sessions.update(...given)),
      revoke: (...given) => later(() => sessions.revoke(...given)),
      sweep: () => sessions.sweep(),
    },
    events: {
      append: (...given) => later(() => events.append(...given)),
      after: (...given) => later(() => events.after(...given)),
      end: (...given) => later(() => events.end(...given)),
      drop: (...given) => later(() => events.drop(...given)),
    },
    bus: {
      publish: (...given) => later(() => bus.publish(...given)),
      subscribe: (...given) => later(() => bus.subscribe(...given)),
    },
    clear,
  };
}
