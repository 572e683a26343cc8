/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, flag, ms, oneOf, type Table, table } from '../../lib/options/option-table.ts';
import { type IdempotencyOptions, maxCrashes, maxIdempotentCalls, maxIdempotentChars, maxJournalEntries, maxStateChars, maxStateResultChars, maxStoredTasks, maxStoredTasksPerCaller, maxTaskResultChars, maxTaskResultCharsPerCaller, maxTaskResultsPerCaller, maxUsedStates, type RequestStateOptions, type ServerLimits, type TaskLimits } from './option-groups.ts';

export const serverLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxConcurrentCalls: count(1000),
      maxInputRounds: count(16),
    }) satisfies Table<ServerLimits>,
);

export const requestStateOptions = /* @__PURE__ */ table(
  () =>
    ({
      ttlMs: ms(900_000, { most: Number.POSITIVE_INFINITY }),
      consumeNonce: callback,
      required: flag(true),
    }) satisfies Table<RequestStateOptions>,
  {
    maxChars: maxStateChars,
    maxUsed: maxUsedStates,
    maxResultChars: maxStateResultChars,
  },
);

export const idempotencyOptions = /* @__PURE__ */ table(
  () =>
    ({
      ttlMs: ms(3_600_000, { most: Number.POSITIVE_INFINITY }),
      durability: oneOf(['process', 'disk']),
    }) satisfies Table<IdempotencyOptions>,
  {
    maxEntries: maxIdempotentCalls,
    maxChars: maxIdempotentChars,
  },
);

export const taskLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxConcurrent: count(32),
      maxPerPrincipal: count(100),
      leaseMs: ms(15_000, { most: Number.POSITIVE_INFINITY }),
      retentionMs: ms(600_000, { most: Number.POSITIVE_INFINITY }),
      shutdownMs: ms(5000, { most: Number.POSITIVE_INFINITY }),
      durability: oneOf(['memory', 'process', 'disk']),
      maxJournalChars: count(16_777_216),
    }) satisfies Table<TaskLimits>,
  {
    maxCrashes,
    maxStoredPerCaller: maxStoredTasksPerCaller,
    maxStored: maxStoredTasks,
    maxResultsPerCaller: maxTaskResultsPerCaller,
    maxResultCharsPerCaller: maxTaskResultCharsPerCaller,
    maxResultChars: maxTaskResultChars,
    maxJournalEntries,
  },
);
