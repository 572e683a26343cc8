/** Tasks in revisions with sessions: the client requests them, and waits for their results. */
import { sharedFields, type TaskForm } from './task-form.ts';

export const sessionTasks: TaskForm = {
  decidedBy: 'client',
  isFollowedBy: () => true,
  isPolled: false,
  fields(task) {
    const status = task.status === 'completed' && task.isToolError ? 'failed' : task.status;
    return { ...sharedFields({ ...task, status }), ttl: task.ttlMs, pollInterval: task.pollIntervalMs };
  },
  declared(capabilities, lists) {
    const list = lists ? { list: {} } : {};
    return { ...capabilities, tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
  },
};
