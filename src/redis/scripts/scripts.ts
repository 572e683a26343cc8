/** The scripts that run inside Redis, by name: each is one operation on the keys of one slot. */
import { appendEvent, endStream, readEvents } from './event-scripts.ts';
import { burnKey, releaseLease, renewLeases, takeLimits } from './limit-scripts.ts';
import { createRecord, deleteLogs, deleteRecord, readRecord, updateRecord } from './session-scripts.ts';
import { createTask, deleteTasks, dueTasks, listTasks, readTask, writeTask } from './task-scripts.ts';

export const scripts = {
  readRecord,
  createRecord,
  deleteLogs,
  deleteRecord,
  updateRecord,
  appendEvent,
  readEvents,
  endStream,
  burnKey,
  takeLimits,
  renewLeases,
  releaseLease,
  createTask,
  readTask,
  writeTask,
  dueTasks,
  listTasks,
  deleteTasks,
} as const;
