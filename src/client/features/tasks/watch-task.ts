/** Calls a listener with a task now and after every change, until it is over. A subscription makes that sooner, where there are some. */
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { Watcher } from '../../api/client.ts';
import type { Task } from '../../api/tasks.ts';
import type { Subscriptions } from '../../changes/subscriptions.ts';
import { type FollowPorts, fetchTask } from './follow.ts';
import { isOver, pollMs } from './task-fields.ts';

export interface WatchTaskPorts extends FollowPorts {
  readonly subscriptions: Pick<Subscriptions, 'open'>;
}

export function watchTask(ports: WatchTaskPorts, first: Task, onChange: (task: Task) => void): Watcher {
  const { settings } = ports;
  const closing = new AbortController();
  const notify = (task: Task): void => settings.callUser('of tasks.watch()', () => onChange(task));
  notify(first);
  const unsubscribe = isOver(first) ? undefined : subscribe(ports, first.taskId, closing.signal);
  const over = pollChanges(ports, first, notify, closing.signal).catch((error: Error) => {
    // The connection itself reports that it closed.
    if (!closing.signal.aborted && !ports.supervisor.isClosed) settings.warn(error);
  });
  void over.then(unsubscribe);
  return {
    async close() {
      closing.abort();
    },
  };
}

/** Notifications of the subscription reach the hints. Without one, polls find the same. */
function subscribe({ subscriptions, supervisor }: WatchTaskPorts, taskId: string, signal: AbortSignal): () => void {
  const { revision } = supervisor.lastKnown.conversation;
  if (revision.tasks?.isPolled !== true) return () => {};
  const opened = subscriptions.open({ taskIds: [taskId] }, { signal }).catch(() => undefined);
  return () => void opened.then((subscription) => subscription?.close());
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
