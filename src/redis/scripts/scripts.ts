/** The scripts that run inside Redis, by name: each is one operation on the keys of one slot. */
import { holdLock, releaseLock, swapCredential, writeConsent } from './credential-scripts.ts';
import { appendEvent, endStream, readEvents } from './event-scripts.ts';
import { burnKey, releaseLease, renewLeases, takeLimits } from './limit-scripts.ts';
import { beatNode, leaveNode } from './node-scripts.ts';
import { prepareStore, replaceMarker } from './prepare-scripts.ts';
import { beginRun, endRun, releaseRun, renewRun } from './run-scripts.ts';
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
  beatNode,
  leaveNode,
  swapCredential,
  holdLock,
  releaseLock,
  writeConsent,
  prepareStore,
  replaceMarker,
  beginRun,
  endRun,
  releaseRun,
  renewRun,
} as const;
