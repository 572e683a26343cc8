/** What can be wrong with a history, by name, and how it is reported. */
import { type BrokenRule, reportOn } from './broken-rules.ts';
import type { HistoryEvent } from './events.ts';

/** The rules of a history, and what the checker reports if one is broken. */
export const rules = {
  'no-outcome': 'a request has neither a result nor an error',
  'two-outcomes': 'a request has more than one outcome',
  'outcome-without-request': 'an outcome belongs to no request',
  'unnamed-error': 'an error has no name that says what happened',
  'result-of-another-request': 'a result carries the token of another request',
  'result-of-another-principal': 'a result was made for another principal',
  'result-without-effect': 'a request has a result, and its effect did not run',
  'effect-ran-twice': 'the effect of a call without an idempotency key ran twice',
  'idempotency-key-ran-twice': 'an effect ran twice under one idempotency key of a principal',
  'effect-of-another-principal': 'an effect ran for a principal that did not request it',
  'answer-lost': 'an accepted answer to a server request did not reach the handler',
  'answer-of-another-request': 'a result has an answer that was given to another request',
  'server-request-of-another-principal': 'a client received a server request of another principal',
  'stream-event-missing': 'an event of a stream is missing',
  'stream-event-repeated': 'an event of a stream arrived twice',
  'stream-event-out-of-order': 'two events of a stream arrived in the wrong order',
  'event-lost-on-resume': 'a resumed stream left events out',
  'event-repeated-on-resume': 'a resumed stream repeated events',
  'event-after-close': 'an event arrived on a stream that was closed',
  'event-of-another-principal': 'a stream has an event of another principal',
  'stream-ended-silently': 'a stream ended neither completely nor by a named error',
  'change-lost': 'a listener received neither a change nor a signal that it may have missed one',
  'change-of-another-principal': 'a listener received a change of another principal',
  'change-not-listened-to': 'a listener received a change of a topic that it does not listen to',
  'task-lost': 'a client asked for its task, and the server had none',
  'task-of-another-principal': 'a client saw a task, or a question of a task, of another principal',
  'task-of-another-call': 'a client got the task, the result or the answers of another call',
  'task-not-listed': 'a list of tasks leaves one out',
  'two-tasks-for-one-key': 'two tasks were created under one idempotency key of a principal',
  'task-never-ended': 'a task has neither ended nor met its deadline',
  'task-ended-twice': 'a task has two ends',
  'task-changed-after-end': 'a task was written after it had ended',
  'task-status-after-end': 'a client saw another status of a task after its end',
  'task-result-changed': 'two reads of one task had different results',
  'task-cancel-ignored': 'a task was not over after its cancellation was acknowledged',
  'task-transition': 'a task changed as no event of a task may change it',
  'task-ran-unannounced-twice': 'a task ran again that has no key, and whose caller had not got it',
  'step-ran-after-entry': 'a step began to run when its result was in the journal',
  'step-ran-twice': 'a step that must not run twice did',
  'step-result-changed': 'a step has another result than its journal says',
  'task-answer-lost': 'a question was open again after its answer was acknowledged',
  'task-answer-twice': 'two answers to one question were stored',
} as const;

export type RuleName = keyof typeof rules;

export type Violation = BrokenRule<RuleName, HistoryEvent>;

export const { violation, describeViolations } = reportOn<HistoryEvent, RuleName>(rules);
