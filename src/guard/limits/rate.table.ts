/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, flag, type Table, table } from '../../lib/options/option-table.ts';
import { type LimitOptions, rateText, type ToolLimitOptions } from './rate.ts';

export const limitOptions = /* @__PURE__ */ table(
  () =>
    ({
      rate: rateText,
      burst: count(),
      concurrent: count(),
    }) satisfies Table<LimitOptions>,
);

export const toolLimitOptions = /* @__PURE__ */ table(
  () =>
    ({
      rate: rateText,
      burst: count(),
      concurrent: count(),
      shared: flag(false),
    }) satisfies Table<ToolLimitOptions>,
);
