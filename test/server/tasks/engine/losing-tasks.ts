/** Tasks in memory that can lose their last writes, as a Redis does that was killed before it had them on disk. */
import { createMemoryTasks } from '../../../../src/store/tasks/memory-tasks.ts';
import type { TaskStore } from '../../../../src/store/tasks/task-store.ts';

export interface LosingTasks extends TaskStore {
  /** What is stored now is on disk. */
  save(): void;
  /** Everything since the last `save` is lost. */
  lose(): void;
}

export function losingTasks(now: () => number): LosingTasks {
  let replayedAt: number | undefined;
  const tasks = createMemoryTasks(() => replayedAt ?? now());
  let writes: { readonly at: number; readonly again: () => unknown }[] = [];
  let saved = 0;
  const logged = <T>(again: () => T): T => {
    writes.push({ at: now(), again });
    return again();
  };
  return {
    create: (...given) => logged(() => tasks.create(...given)),
    write: (...given) => logged(() => tasks.write(...given)),
    deleteEnded: (...given) => logged(() => tasks.deleteEnded(...given)),
    read: (id) => tasks.read(id),
    readJournal: (id, from) => tasks.readJournal(id, from),
    claimable: (kinds, max) => tasks.claimable(kinds, max),
    ending: (max) => tasks.ending(max),
    list: (owner, after, max) => tasks.list(owner, after, max),
    save() {
      saved = writes.length;
    },
    lose() {
      tasks.clear();
      writes = writes.slice(0, saved);
      for (const { at, again } of writes) {
        replayedAt = at;
        again();
      }
      replayedAt = undefined;
    },
  };
}
