/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { count, flag, ms, type Table } from '../../lib/options/option-table.ts';
import { maxAttemptsPerMinute, type ReconnectOptions, resetAfterMs } from './reconnect-options.ts';

export const reconnectOptions = {
  initialDelayMs: ms(500, { most: Number.POSITIVE_INFINITY }),
  maxDelayMs: ms(30_000, { most: Number.POSITIVE_INFINITY }),
  maxConsecutiveFailures: count(5),
  trustToolAnnotations: flag(false),
  [fixed]: {
    maxAttemptsPerMinute,
    resetAfterMs,
  },
} as const satisfies Table<ReconnectOptions>;
