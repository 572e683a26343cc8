/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { ms, type Table, table } from '../../../lib/options/option-table.ts';
import { type HandlerTaskOptions, maxTasks, maxTtlMs } from './options.ts';

export const handlerTaskOptions = /* @__PURE__ */ table(
  () =>
    ({
      pollIntervalMs: ms(2000, { most: Number.POSITIVE_INFINITY, whole: true }),
    }) satisfies Table<HandlerTaskOptions>,
  {
    maxTasks,
    maxTtlMs,
  },
);
