/** Checks a history against all rules. */
import { checkChanges } from './change-rules.ts';
import { checkEffects } from './effect-rules.ts';
import type { HistoryEvent } from './events.ts';
import { checkJournals } from './journal-rules.ts';
import { checkRequests } from './request-rules.ts';
import { checkStreams } from './stream-rules.ts';
import { checkTasks } from './task-rules.ts';
import type { Violation } from './violations.ts';

/** The broken rules of a history, none if it is valid. It must be complete: every request and stream had time to end. */
export const checkHistory = (history: readonly HistoryEvent[]): Violation[] => [
  ...checkRequests(history),
  ...checkEffects(history),
  ...checkStreams(history),
  ...checkChanges(history),
  ...checkTasks(history),
  ...checkJournals(history),
];
