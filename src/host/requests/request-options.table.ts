/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table } from '../../lib/options/option-table.ts';
import type { ElicitationLimits, SamplingLimits } from './request-options.ts';

export const samplingLimits = {
  maxPerMinute: count(10),
  maxTokens: count(4096),
} as const satisfies Table<SamplingLimits>;

export const elicitationLimits = {
  maxPerMinute: count(20),
} as const satisfies Table<ElicitationLimits>;
