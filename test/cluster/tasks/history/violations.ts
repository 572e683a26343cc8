/** What can be wrong with the history of a task, by name, and how it is reported. */
import { type BrokenRule, reportOn } from '../../history/broken-rules.ts';
import type { TaskEvent } from './events.ts';

export const rules = {
  'no-result': 'no client received the result',
  'wrong-result': 'a client received a result that is not made of the steps and answers of its task',
  'two-tasks': 'one idempotency key created two tasks',
  'two-outcomes': 'the journal has more than one outcome, or none',
  'write-after-end': 'the row of a task was changed after its end',
  'status-after-end': 'a client saw another status after the end of the task',
  'effect-missing': 'a step had no effect',
  'effect-twice': 'a keyed step had its effect twice',
  'run-after-entry': 'a step ran again after its entry was in the journal',
  'run-without-claim': 'a step ran more often than workers took the task',
  'entry-missing': 'a step is not in the journal of a finished task',
  'entry-twice': 'an entry is in the journal twice',
  'stale-write': 'the store accepted a write that was based on an old version',
  'write-without-lease': 'a process that does not hold the task wrote to its journal',
  'fence-not-raised': 'a worker took a task without raising its fence, or a fence fell',
  'question-without-loss': 'a client was asked again, and nothing was lost in between',
  'answer-lost': 'an answer that was confirmed is not in the journal',
  'foreign-answer': 'the journal has an answer that no client gave to this question',
} as const;

export type RuleName = keyof typeof rules;

export type Violation = BrokenRule<RuleName, TaskEvent>;

export const { violation, describeViolations } = reportOn<TaskEvent, RuleName>(rules);
