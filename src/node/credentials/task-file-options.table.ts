/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import type { Table } from '../../lib/options/option-table.ts';
import { maxRemembered, type TaskFileOptions } from './task-file-options.ts';

export const taskFileOptions = {
  [fixed]: {
    maxEntries: maxRemembered,
  },
} as const satisfies Table<TaskFileOptions>;
