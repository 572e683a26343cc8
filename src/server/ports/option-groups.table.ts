/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { callback, count, flag, ms, oneOf, type Table } from '../../lib/options/option-table.ts';
import { type IdempotencyOptions, maxCrashes, maxIdempotentCalls, maxIdempotentChars, maxJournalEntries, maxStateChars, maxStateResultChars, maxUsedStates, type RequestStateOptions, type ServerLimits, type TaskLimits } from './option-groups.ts';

export const serverLimits = {
  maxConcurrentCalls: count(1000),
  maxInputRounds: count(16),
} as const satisfies Table<ServerLimits>;

export const requestStateOptions = {
  ttlMs: ms(900_000, { most: Number.POSITIVE_INFINITY }),
  consumeNonce: callback,
  required: flag(true),
  [fixed]: {
    maxChars: maxStateChars,
    maxUsed: maxUsedStates,
    maxResultChars: maxStateResultChars,
  },
} as const satisfies Table<RequestStateOptions>;

export const idempotencyOptions = {
  ttlMs: ms(3_600_000, { most: Number.POSITIVE_INFINITY }),
  durability: oneOf(['process', 'disk']),
  [fixed]: {
    maxEntries: maxIdempotentCalls,
    maxChars: maxIdempotentChars,
  },
} as const satisfies Table<IdempotencyOptions>;

export const taskLimits = {
  maxConcurrent: count(32),
  maxPerPrincipal: count(100),
  leaseMs: ms(15_000, { most: Number.POSITIVE_INFINITY }),
  retentionMs: ms(600_000, { most: Number.POSITIVE_INFINITY }),
  shutdownMs: ms(5000, { most: Number.POSITIVE_INFINITY }),
  durability: oneOf(['memory', 'process', 'disk']),
  maxJournalChars: count(16_777_216),
  [fixed]: {
    maxCrashes,
    maxJournalEntries,
  },
} as const satisfies Table<TaskLimits>;
