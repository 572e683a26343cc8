/** Checks the history of one task against all rules. A pure function: it knows no engine, no store and no clock. */
import type { TaskEvent } from './events.ts';
import { checkOutcome } from './outcome-rules.ts';
import { checkRows } from './row-rules.ts';
import { checkSteps } from './step-rules.ts';
import type { Violation } from './violations.ts';

/** What the task was to do. */
export interface Order {
  readonly steps: readonly string[];
  readonly questions: readonly string[];
  /** Whether effects carry the key of their step. Without it, they happen at least once. Default true. */
  readonly isKeyed?: boolean;
}

/** The broken rules of a history, none if it is valid. It must be complete: the client had time to get its result. */
export const checkTask = (history: readonly TaskEvent[], order: Order): Violation[] => [
  ...checkSteps(history, order),
  ...checkRows(history),
  ...checkOutcome(history, order),
];
