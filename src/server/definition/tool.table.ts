/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, group, ms, oneOf, type Table, table, text } from '../../lib/options/option-table.ts';
import { maxBackoffMs, type TaskOptions, type TaskRetry } from './tool.ts';

export const taskRetry = /* @__PURE__ */ table(
  () =>
    ({
      attempts: count(1, { most: 100 }),
      backoffMs: ms(1000, { least: 0 }),
    }) satisfies Table<TaskRetry>,
  {
    maxBackoffMs,
  },
);

export const taskOptions = /* @__PURE__ */ table(
  () =>
    ({
      support: oneOf(['optional', 'required'], 'optional'),
      begins: oneOf(['at-once', 'by-handler'], 'at-once'),
      ttlMs: ms(3_600_000, { most: Number.POSITIVE_INFINITY }),
      deadlineMs: ms(86_400_000, { most: Number.POSITIVE_INFINITY }),
      pollIntervalMs: ms(1000, { most: Number.POSITIVE_INFINITY }),
      answerWithinMs: ms(100, { least: 0 }),
      retry: group(taskRetry),
      version: text(),
    }) satisfies Table<TaskOptions>,
);
