/** Records what the store of tasks acknowledged. */
import type { NewTask, StoredTask, TaskChange, TaskCreation } from 'tenon/store';
import type { Entry } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import type { Task } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
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
    data: string,
    texts: readonly string[],
  ) {
    const { state, fence } = JSON.parse(data) as Task;
    if (isEnd(state.is)) live.delete(task);
    else live.add(task);
    record({
      type: 'task-stored',
      task,
      node,
      owner,
      state: state.is,
      fence,
      ...(state.is === 'running' && { nonce: state.lease.nonce.slice(0, 8) }),
      ...(state.is === 'parked' && { open: state.open }),
      entries: texts.map((text) => shown(JSON.parse(text) as Entry)),
    });
  }

  const observe: Observer = (node, operation, given, answer) => {
    if (operation === 'tasks.create') {
      const made = answer as TaskCreation;
      const order = given[0] as NewTask;
      if (typeof made !== 'string' && made.isNew) stored(node, order, order.data, order.entries);
    }
    if (operation === 'tasks.write' && answer === true) {
      const [row, { data, entries }] = given as [StoredTask, TaskChange];
      stored(node, row, data, entries);
    }
  };
  return { observe, live };
}

/** An entry, as the rules need it. */
function shown(entry: Entry): JournalEntry {
  const { is } = entry;
  if (is === 'step') return { is, key: entry.key, text: String(entry.value) };
  if (is === 'answer') return { is, key: entry.key };
  return is === 'begun' ? { is, key: entry.key } : { is };
}
