/** Records what the store of tasks acknowledged. */
import type { NewTask, StoredTask, TakenTask, TaskChange, TaskCreation } from 'tenon/store';
import type { Entry } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import type { Task } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import { taskOf } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { isEnd } from '../../history/journal-rules.ts';
import type { Recorder } from '../../history/recorder.ts';
import type { JournalEntry } from '../../history/task-events.ts';
import type { Observer } from '../store-link.ts';

export interface ObservedTasks {
  readonly observe: Observer;
  /** The IDs of tasks that have not ended. */
  readonly live: ReadonlySet<string>;
}

export function observeTasks({ record }: Recorder): ObservedTasks {
  const live = new Set<string>();

  function stored(
    node: string,
    { id: task, owner }: { id: string; owner: string },
    { state, fence, isUnannounced }: Task,
    texts: readonly string[],
    isTaken = false,
  ) {
    if (isEnd(state.is)) live.delete(task);
    else live.add(task);
    record({
      type: 'task-stored',
      task,
      node,
      owner,
      state: state.is,
      fence,
      ...(state.is === 'running' && { nonce: state.lease.nonce.slice(-8) }),
      ...(isUnannounced && { isUnannounced }),
      ...(state.is === 'parked' && { open: state.open }),
      entries: texts.map((text) => shown(JSON.parse(text) as Entry)),
      ...(isTaken && { isTaken }),
    });
  }

  const observe: Observer = (node, operation, given, answer) => {
    if (operation === 'tasks.create') {
      const made = answer as TaskCreation;
      const order = given[0] as NewTask;
      if (typeof made !== 'string' && made.isNew) stored(node, order, written(order), order.entries);
    }
    if (operation === 'tasks.write' && answer === true) {
      const [row, change] = given as [StoredTask, TaskChange];
      stored(node, row, written(change), change.entries);
    }
    if (operation === 'tasks.take')
      for (const { task } of answer as readonly TakenTask[]) stored(node, task, taskOf(task), [], true);
    if (operation === 'tasks.takeEnding')
      for (const { task } of answer as readonly TakenTask[]) record({ type: 'task-ending', task: task.id, node });
  };
  return { observe, live };
}

const written = ({ data }: { readonly data: string }): Task => JSON.parse(data) as Task;

/** An entry, as the rules need it. */
function shown(entry: Entry): JournalEntry {
  const { is } = entry;
  if (is === 'step') return { is, key: entry.key, text: String(entry.value) };
  if (is === 'answer') return { is, key: entry.key };
  return is === 'begun' ? { is, key: entry.key } : { is };
}
