/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, ms, type Table, table } from '../../lib/options/option-table.ts';
import { type ApprovalOptions, approvalStore, maxArgumentChars, maxListed, maxReasonChars, storeTimeoutMs } from './options.ts';

export const approvalOptions = /* @__PURE__ */ table(
  () =>
    ({
      store: approvalStore,
      ttlMs: ms(3_600_000, { most: 604_800_000 }),
      waitMs: ms(20_000, { least: 0, most: 300_000 }),
      url: callback,
      onRequest: callback,
      maxWaitingPerCaller: count(8),
    }) satisfies Table<ApprovalOptions>,
  {
    storeTimeoutMs,
    maxArgumentChars,
    maxReasonChars,
    maxListed,
  },
);
