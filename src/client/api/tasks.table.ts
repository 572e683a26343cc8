/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table } from '../../lib/options/option-table.ts';
import { taskMemory } from './connect-rules.ts';
import type { TasksOptions } from './tasks.ts';

export const tasksOptions = /* @__PURE__ */ table(
  () =>
    ({
      memory: taskMemory,
    }) satisfies Table<TasksOptions>,
);
