/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table } from '../../lib/options/option-table.ts';
import type { ElicitationLimits, SamplingLimits } from './request-options.ts';

export const samplingLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxPerMinute: count(10),
      maxTokens: count(4096),
    }) satisfies Table<SamplingLimits>,
);

export const elicitationLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxPerMinute: count(20),
    }) satisfies Table<ElicitationLimits>,
);
