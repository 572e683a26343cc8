/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { logger } from '../lib/options/option-rules.ts';
import { callback, flag, group, ms, required, type Table, table } from '../lib/options/option-table.ts';
import { storeOfTasks, type TaskWorkerOptions, type TaskWorkerTimeouts } from './task-worker-options.ts';

export const taskWorkerTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      storeMs: ms(2000),
    }) satisfies Table<TaskWorkerTimeouts>,
);

export const taskWorkerOptions = /* @__PURE__ */ table(
  () =>
    ({
      store: required(storeOfTasks),
      timeouts: group(taskWorkerTimeouts),
      closeOnSignals: flag(false),
      logger,
      onWarning: callback,
    }) satisfies Table<TaskWorkerOptions>,
);
