/** The groups of options of `createServer` with their defaults and fixed limits. */
import type { Filled } from '../../lib/options/read-options.ts';
import type { idempotencyOptions, requestStateOptions, taskLimits } from './option-groups.table.ts';
import type { IdempotencyOptions, RequestStateOptions, TaskLimits } from './option-groups.ts';

export type RequestStateSettings = Filled<RequestStateOptions, typeof requestStateOptions>;
export type IdempotencySettings = Filled<IdempotencyOptions, typeof idempotencyOptions>;
export type TaskLimitSettings = Filled<TaskLimits, typeof taskLimits>;
