/** Tasks in memory that can lose their last writes, as a Redis does that was killed before it had them on disk. */
import { mapped } from '../../../../src/lib/values/maybe-promise.ts';
import { createMemoryStore, type MemoryStore } from '../../../../src/store/memory.ts';
import type { MessageBus } from '../../../../src/store/message-bus.ts';
import type { TaskHint, TaskStore } from '../../../../src/store/task-store.ts';

export interface LosingStore {
  readonly tasks: TaskStore;
  readonly bus: MessageBus;
  /** What is stored now is on disk. */
  save(): void;
  /** Everything since the last `save` is lost. */
  lose(): void;
}

export function losingStore(now: () => number): LosingStore {
  let replayedAt: number | undefined;
  // Its clock never falls: what is replayed needs a new one.
  const begin = (): MemoryStore => createMemoryStore({ now: () => replayedAt ?? now() });
  let store = begin();
  const { bus } = createMemoryStore();
  let writes: { readonly at: number; readonly again: () => unknown }[] = [];
  let saved = 0;
  /** A task that is created again has another version: by the one that its first creation gave it. */
  const versions = new Map<string, string>();
  const logged = <T>(again: () => T): T => {
    writes.push({ at: now(), again });
    return again();
  };

  /** Hints are not stored: none is sent again. */
  async function hinted<T>(hint: TaskHint | undefined, done: T): Promise<T> {
    if (hint !== undefined && replayedAt === undefined) await bus.publish(hint.topic, hint.text);
    return done;
  }

  const tasks: TaskStore = {
    async create({ hint, ...task }, max) {
      let first: string | undefined;
      const made = await logged(() =>
        // In memory it is done at once.
        mapped(store.tasks.create(task, max), (again) => {
          if (typeof again === 'string' || !again.isNew) return again;
          first ??= again.task.version;
          versions.set(first, again.task.version);
          return again;
        }),
      );
      return hinted(typeof made === 'string' ? undefined : hint, made);
    },
    async write(row, { hint, ...change }) {
      const done = await logged(() =>
        store.tasks.write({ ...row, version: versions.get(row.version) ?? row.version }, change),
      );
      return hinted(done ? hint : undefined, done);
    },
    take: (...given) => logged(() => store.tasks.take(...given)),
    takeEnding: (...given) => logged(() => store.tasks.takeEnding(...given)),
    read: (id) => store.tasks.read(id),
    readJournal: (id, from) => store.tasks.readJournal(id, from),
    list: (owner, after, max) => store.tasks.list(owner, after, max),
  };
  return {
    tasks,
    bus,
    save() {
      saved = writes.length;
    },
    lose() {
      store = begin();
      writes = writes.slice(0, saved);
      for (const { at, again } of writes) {
        replayedAt = at;
        again();
      }
      replayedAt = undefined;
    },
  };
}
