/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table } from '../../lib/options/option-table.ts';
import { maxRemembered, type TaskFileOptions } from './task-file-options.ts';

export const taskFileOptions = /* @__PURE__ */ table(
  () =>
    ({
    }) satisfies Table<TaskFileOptions>,
  {
    maxEntries: maxRemembered,
  },
);
