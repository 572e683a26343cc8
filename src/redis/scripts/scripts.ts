/** The scripts that run inside Redis, by name: each is one operation on the keys of one slot. */
import { appendEvent, endStream, readEvents } from './event-scripts.ts';
import { burnKey, releaseLease, renewLeases, takeLimits } from './limit-scripts.ts';
import { beginRun, endRun, releaseRun, renewRun } from './run-scripts.ts';
import { createRecord, deleteLogs, deleteRecord, readRecord, updateRecord } from './session-scripts.ts';

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
  beginRun,
  endRun,
  releaseRun,
  renewRun,
} as const;
