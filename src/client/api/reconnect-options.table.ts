/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, flag, ms, type Table, table } from '../../lib/options/option-table.ts';
import { maxAttemptsPerMinute, type ReconnectOptions, resetAfterMs } from './reconnect-options.ts';

export const reconnectOptions = /* @__PURE__ */ table(
  () =>
    ({
      initialDelayMs: ms(500, { most: Number.POSITIVE_INFINITY }),
      maxDelayMs: ms(30_000, { most: Number.POSITIVE_INFINITY }),
      maxConsecutiveFailures: count(5),
      trustToolAnnotations: flag(false),
    }) satisfies Table<ReconnectOptions>,
  {
    maxAttemptsPerMinute,
    resetAfterMs,
  },
);
