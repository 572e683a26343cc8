/** Calls a listener with a task now and after every change, until it is over. */
import { digestOf } from '../../../protocol/canonical-json.ts';
import type { Watcher } from '../../api/client.ts';
import type { Task } from '../../api/tasks.ts';
import { type FollowPorts, fetchTask } from './follow.ts';
import { isOver, pollMs } from './task-fields.ts';

export function watchTask(ports: FollowPorts, first: Task, onChange: (task: Task) => void): Watcher {
  const { settings } = ports;
  const closing = new AbortController();
  const notify = (task: Task): void => settings.callUser('of tasks.watch()', () => onChange(task));
  notify(first);
  pollChanges(ports, first, notify, closing.signal).catch((error: Error) => {
    // The connection itself reports that it closed.
    if (!closing.signal.aborted && !ports.supervisor.isClosed) settings.warn(error);
  });
  return {
    async close() {
      closing.abort();
    },
  };
}

async function pollChanges(
  ports: FollowPorts,
  first: Task,
  notify: (task: Task) => void,
  signal: AbortSignal,
): Promise<void> {
  const { hints, supervisor } = ports;
  const { taskId } = first;
  for (let task = first; !isOver(task); ) {
    await hints.wait(supervisor, taskId, pollMs(task), signal);
    if (signal.aborted || supervisor.isClosed) return;
    const next = (await fetchTask(ports, taskId, { signal })).task;
    if (digestOf(next) !== digestOf(task)) notify(next);
    task = next;
  }
}
