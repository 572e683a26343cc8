/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, flag, ms, type Table, table } from '../lib/options/option-table.ts';
import type { InstanceOptions } from './options.ts';

export const instanceOptions = /* @__PURE__ */ table(
  () =>
    ({
      shared: flag(false),
      maxInstances: count(1000),
      idleMs: ms(300_000),
      onDropped: callback,
    }) satisfies Table<InstanceOptions>,
);
