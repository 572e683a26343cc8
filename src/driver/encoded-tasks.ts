/** A store of tasks whose private values go through a codec. Times, counts and kinds stay as they are. */

import { mapped } from '../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../store/codec.ts';
import type { StoredTask, TaskStore } from '../store/tasks/task-store.ts';

/** The name of an owner is private, so that it is with the data; what is stored beside them stands for it. */
export function encodedTasks(tasks: TaskStore, codec: Codec): TaskStore {
  const dataPath = (id: string): Path => ['task', id];
  const entryPath = (id: string): Path => ['task entry', id];
  const ownerOf = (owner: string): string => (owner === '' ? '' : codec.name(['owner', owner]));
  const sealed = (id: string, owner: string, data: string): string =>
    codec.seal(dataPath(id), codec.hidesNames ? JSON.stringify([owner, data]) : data);
  const sealedEntries = (id: string, entries: readonly string[]): readonly string[] =>
    entries.map((entry) => codec.seal(entryPath(id), entry));

  function opened(task: StoredTask): StoredTask {
    const text = codec.open(dataPath(task.id), task.data);
    if (!codec.hidesNames) return { ...task, data: text };
    const [owner, data] = JSON.parse(text) as [string, string];
    return { ...task, owner, data };
  }

  const openedAll = (found: readonly StoredTask[]): readonly StoredTask[] => found.map(opened);

  return {
    create: ({ id, owner, key, data, entries, ...rest }, maxPerOwner) =>
      mapped(
        tasks.create(
          {
            ...rest,
            id,
            owner: ownerOf(owner),
            ...(key && {
              key: {
                name: codec.name(['task key', owner, key.name]),
                digest: codec.name(['task digest', owner, key.digest]),
              },
            }),
            data: sealed(id, owner, data),
            entries: sealedEntries(id, entries),
          },
          maxPerOwner,
        ),
        (made) => (typeof made === 'string' ? made : { ...made, task: opened(made.task) }),
      ),
    read: (id) => mapped(tasks.read(id), (task) => task && opened(task)),
    write: (task, { data, entries, ...change }) =>
      tasks.write(
        { ...task, owner: ownerOf(task.owner) },
        { ...change, data: sealed(task.id, task.owner, data), entries: sealedEntries(task.id, entries) },
      ),
    readJournal: (id, from) =>
      mapped(tasks.readJournal(id, from), (entries) => entries.map((entry) => codec.open(entryPath(id), entry))),
    claimable: (kinds, max) => mapped(tasks.claimable(kinds, max), openedAll),
    ending: (max) => mapped(tasks.ending(max), openedAll),
    list: (owner, after, max) =>
      mapped(tasks.list(ownerOf(owner), after, max), (page) => ({ ...page, tasks: openedAll(page.tasks) })),
    deleteEnded: (max) => tasks.deleteEnded(max),
  };
}
