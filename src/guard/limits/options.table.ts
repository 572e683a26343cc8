/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table } from '../../lib/options/option-table.ts';
import { type GuardLimits, storeTimeoutMs } from './options.ts';
import { callerLimit, costsByTool, limitsByTool, limitStore } from './rules.ts';

export const guardLimits = /* @__PURE__ */ table(
  () =>
    ({
      perPrincipal: callerLimit,
      perAddress: callerLimit,
      perTool: limitsByTool,
      concurrent: count(),
      costs: costsByTool,
      store: limitStore,
    }) satisfies Table<GuardLimits>,
  {
    storeTimeoutMs,
  },
);
