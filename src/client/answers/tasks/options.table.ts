/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../../lib/options/fixed-limits.ts';
import { ms, type Table } from '../../../lib/options/option-table.ts';
import { type HandlerTaskOptions, maxTasks, maxTtlMs } from './options.ts';

export const handlerTaskOptions = {
  pollIntervalMs: ms(2000, { most: Number.POSITIVE_INFINITY, whole: true }),
  [fixed]: {
    maxTasks,
    maxTtlMs,
  },
} as const satisfies Table<HandlerTaskOptions>;
