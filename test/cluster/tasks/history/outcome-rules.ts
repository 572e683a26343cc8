/** Rules on what comes of a task: one task, one outcome, the same for every client, with the answers that were given. */
import type { Order } from './check.ts';
import { type EntryShown, hasLoss, ofType, type Placed, type TaskEvent } from './events.ts';
import { resultText } from './order.ts';
import { isEnd } from './row-rules.ts';
import { type Violation, violation } from './violations.ts';

export const checkOutcome = (history: readonly TaskEvent[], order: Order): Violation[] => [
  ...checkTasks(history),
  ...checkResults(history, order),
  ...ofType(history, 'stored').flatMap((stored) => [
    ...checkJournal(history, stored, order),
    ...checkAnswers(history, stored),
  ]),
  ...checkQuestions(history),
  ...checkStatus(history),
];

function checkTasks(history: readonly TaskEvent[]): Violation[] {
  const created = ofType(history, 'created').filter(({ isNew }) => isNew);
  return created.length > 1 ? [violation('two-tasks', 'task', ...created)] : [];
}

function checkResults(history: readonly TaskEvent[], { steps, questions }: Order): Violation[] {
  const results = ofType(history, 'result');
  const stored = ofType(history, 'stored').at(-1);
  if (results.length === 0) return [violation('no-result', 'task', ...(stored === undefined ? [] : [stored]))];
  const answers = questions.map(
    (question) => stored?.entries.find(({ is, key }) => is === 'answer' && key === question)?.answer ?? 'none',
  );
  const expected = resultText(
    steps.map((step) => `done ${step}`),
    answers,
  );
  return results
    .filter(({ text }) => text !== expected)
    .map((result) => violation('wrong-result', result.task, result, ...(stored === undefined ? [] : [stored])));
}

const nameOf = ({ is, key = '' }: EntryShown): string => (is === 'error' ? 'result' : `${is} ${key}`.trim());

function checkJournal(history: readonly TaskEvent[], stored: Placed<'stored'>, { steps }: Order): Violation[] {
  const names = stored.entries.map(nameOf);
  const outcomes = names.filter((name) => name === 'result');
  const missing = steps.filter((step) => !names.includes(`step ${step}`));
  const repeated = new Set(names.filter((name, index) => name !== 'result' && names.indexOf(name) !== index));
  // A worker whose store lost its reply writes the entry of a step again.
  if (ofType(history, 'store').length > 0) for (const step of steps) repeated.delete(`step ${step}`);
  return [
    ...(outcomes.length === 1 ? [] : [violation('two-outcomes', stored.task, stored)]),
    ...missing.map((step) => violation('entry-missing', step, stored)),
    ...[...repeated].map((name) => violation('entry-twice', name, stored)),
  ];
}

function checkAnswers(history: readonly TaskEvent[], stored: Placed<'stored'>): Violation[] {
  const sent = ofType(history, 'answer');
  const entries = stored.entries.filter(({ is }) => is === 'answer');
  return [
    ...sent
      .filter(({ isStored, question }) => isStored && entries.every(({ key }) => key !== question))
      .map((answer) => violation('answer-lost', answer.question, answer, stored)),
    ...entries
      .filter(({ key, answer }) => !sent.some((one) => one.question === key && one.answer === answer))
      .map(({ key = '' }) => violation('foreign-answer', key, stored)),
  ];
}

function checkQuestions(history: readonly TaskEvent[]): Violation[] {
  const received = ofType(history, 'question');
  return received.flatMap((question, index) => {
    const before = received.slice(0, index).findLast((one) => one.question === question.question);
    if (before === undefined || hasLoss(history, before.place, question.place)) return [];
    return [violation('question-without-loss', question.question, before, question)];
  });
}

function checkStatus(history: readonly TaskEvent[]): Violation[] {
  const seen = ofType(history, 'status');
  const end = seen.find(({ status }) => isEnd(status));
  if (end === undefined) return [];
  return seen
    .filter(({ place, status }) => place > end.place && status !== end.status)
    .map((status) => violation('status-after-end', status.task, end, status));
}
