/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { logger } from '../lib/options/option-rules.ts';
import { callback, flag, group, ms, required, type Table } from '../lib/options/option-table.ts';
import { storeOfTasks, type TaskWorkerOptions, type TaskWorkerTimeouts } from './task-worker-options.ts';

export const taskWorkerTimeouts = {
  storeMs: ms(2000),
} as const satisfies Table<TaskWorkerTimeouts>;

export const taskWorkerOptions = {
  store: required(storeOfTasks),
  timeouts: group(taskWorkerTimeouts),
  closeOnSignals: flag(false),
  logger,
  onWarning: callback,
} as const satisfies Table<TaskWorkerOptions>;
