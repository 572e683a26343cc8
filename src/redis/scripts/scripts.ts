/** The scripts that run inside Redis, by name: each is one operation on the keys of one slot. */
import { appendEvent, endStream, readEvents } from './event-scripts.ts';
import { burnKey, releaseLease, renewLeases, takeLimits } from './limit-scripts.ts';
import { beatNode, leaveNode } from './node-scripts.ts';
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
  beatNode,
  leaveNode,
} as const;
