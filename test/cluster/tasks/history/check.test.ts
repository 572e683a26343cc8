/** Tests the checker of tasks: a valid history has no violations, and each planted fault is found by its name. */
import { describe, expect, it } from 'vitest';
import { checkTask } from './check.ts';
import type { EntryShown, RowWritten, TaskEvent } from './events.ts';
import { resultText } from './order.ts';
import { describeViolations, type RuleName, rules } from './violations.ts';

const order = { steps: ['a', 'b'], questions: ['q'] };
const task = 't';
const [w1, w2, server, c1, c2] = ['worker-1', 'worker-2', 'server-1', 'client-1', 'client-2'];

const step = (key: string): EntryShown => ({ is: 'step', key });
const answered: EntryShown = { is: 'answer', key: 'q', answer: 'blue' };
const journal = [step('a'), { is: 'asked', key: '1' }, answered, step('b'), { is: 'result' }];

const wrote = (from: number, what: string, fields: Partial<RowWritten>): RowWritten => ({
  type: 'written',
  process: w1,
  task,
  what,
  from,
  to: from + 1,
  isDone: true,
  state: 'running',
  fence: 1,
  entries: [],
  ...fields,
});
const ran = (process: string, name: string): TaskEvent => ({ type: 'run', process, step: name });
const effect = (process: string, name: string, isFirst = true): TaskEvent => ({
  type: 'effect',
  process,
  step: name,
  key: `t/${name}`,
  isFirst,
});
const killed = (process: string): TaskEvent => ({ type: 'process', process, what: 'killed', at: 'there' });
const ended = wrote(7, 'result', { process: w2, state: 'completed', fence: 4, entries: [{ is: 'result' }] });
const asked: TaskEvent = { type: 'question', process: c1, task, question: 'q' };
const result: TaskEvent = { type: 'result', process: c1, task, text: resultText(['done a', 'done b'], ['blue']) };
const over: TaskEvent = { type: 'status', process: c1, task, status: 'completed' };

/** A worker is paused inside step b, another one takes over, and the late write is refused; a client is killed after its question. */
const valid: readonly TaskEvent[] = [
  { type: 'created', process: server, task, isNew: true },
  wrote(1, 'claim', {}),
  ran(w1, 'a'),
  effect(w1, 'a'),
  wrote(2, 'step a', { entries: [step('a')] }),
  wrote(3, 'asked 1', { state: 'parked', entries: [{ is: 'asked', key: '1' }] }),
  { type: 'status', process: c1, task, status: 'input_required' },
  asked,
  killed(c1),
  { type: 'created', process: server, task, isNew: false },
  { ...asked, process: c2 } as TaskEvent,
  wrote(4, 'answer q', { process: server, state: 'parked', entries: [answered] }),
  { type: 'answer', process: c2, task, question: 'q', answer: 'blue', isStored: true },
  wrote(5, 'claim', { fence: 2 }),
  ran(w1, 'b'),
  effect(w1, 'b'),
  { type: 'process', process: w1, what: 'paused', at: 'before step b' },
  wrote(6, 'take-over', { process: w2, fence: 3 }),
  ran(w2, 'b'),
  effect(w2, 'b', false),
  { type: 'process', process: w1, what: 'resumed' },
  wrote(6, 'step b', { isDone: false, fence: 2, entries: [step('b')] }),
  wrote(7, 'step b', { process: w2, fence: 3, entries: [step('b')] }),
  { ...ended, from: 8, to: 9 },
  over,
  result,
  { type: 'stored', task, state: 'completed', fence: 4, entries: journal },
];

type Fields = Readonly<Record<string, unknown>>;
const isLike = (event: TaskEvent, wanted: Fields): boolean =>
  Object.entries(wanted).every(([name, value]) => (event as unknown as Fields)[name] === value);
const without = (wanted: Fields): TaskEvent[] => valid.filter((event) => !isLike(event, wanted));
const changed = (wanted: Fields, fields: Fields): TaskEvent[] =>
  valid.map((event) => (isLike(event, wanted) ? ({ ...event, ...fields } as TaskEvent) : event));
const after = (wanted: Fields, ...more: TaskEvent[]): TaskEvent[] =>
  valid.flatMap((event) => (isLike(event, wanted) ? [event, ...more] : [event]));
const stored = (entries: readonly EntryShown[]): TaskEvent[] => changed({ type: 'stored' }, { entries });

const planted: readonly (readonly [string, RuleName, readonly TaskEvent[]])[] = [
  [
    'no fencing: the late write of the paused worker is accepted',
    'stale-write',
    changed({ isDone: false }, { isDone: true }),
  ],
  [
    'the lease is not compared: the paused worker writes on the newest version',
    'write-without-lease',
    after({ from: 7 }, wrote(9, 'step b', { fence: 4, entries: [step('b')] })),
  ],
  ['a worker takes over under the same fence', 'fence-not-raised', changed({ what: 'take-over' }, { fence: 2 })],
  ['the write of a journal is skipped', 'entry-missing', stored(journal.filter(({ key }) => key !== 'b'))],
  ['the result is written twice', 'two-outcomes', stored([...journal, { is: 'result' }])],
  ['a task ends without an outcome', 'two-outcomes', stored(journal.slice(0, -1))],
  [
    'progress is written after the end',
    'write-after-end',
    after({ what: 'result' }, wrote(9, 'beat', { process: w2, fence: 4 })),
  ],
  [
    'a client sees progress after the end',
    'status-after-end',
    after({ status: 'completed' }, { ...over, status: 'working' } as TaskEvent),
  ],
  ['an answer is dropped after it was confirmed', 'answer-lost', stored(journal.filter(({ is }) => is !== 'answer'))],
  [
    'the answer of another question is stored',
    'foreign-answer',
    stored(journal.map((entry) => (entry === answered ? { ...entry, answer: 'red' } : entry))),
  ],
  ['a request for input is stored twice', 'entry-twice', stored([...journal, { is: 'asked', key: '1' }])],
  ['a step runs again after its entry', 'run-after-entry', after({ what: 'asked 1' }, killed(w1), ran(w2, 'a'))],
  ['a step runs twice at one worker', 'run-without-claim', after({ type: 'effect', step: 'a' }, ran(w1, 'a'))],
  ['the key of a step changes with its worker', 'effect-twice', changed({ isFirst: false }, { isFirst: true })],
  ['a step is left out', 'effect-missing', without({ type: 'effect', step: 'a' })],
  [
    'a question is repeated though nothing was lost',
    'question-without-loss',
    without({ type: 'process', what: 'killed' }),
  ],
  ['an idempotency key creates two tasks', 'two-tasks', changed({ isNew: false }, { isNew: true })],
  [
    'the result has another answer',
    'wrong-result',
    changed({ type: 'result' }, { text: resultText(['done a', 'done b'], ['red']) }),
  ],
  ['no result arrives', 'no-result', without({ type: 'result' })],
];

describe('the checker of tasks', () => {
  it('accepts a history in which a worker was paused, another took over, and a client was killed', () => {
    expect(describeViolations(checkTask(valid, order))).toBe('');
  });

  it.each(planted)('finds that %s', (_fault, rule, history) => {
    expect(checkTask(history, order).map((found) => found.rule)).toContain(rule);
  });

  it('has a planted fault for every rule', () => {
    expect(Object.keys(rules).filter((rule) => !planted.some((one) => one[1] === rule))).toEqual([]);
  });

  it('accepts a second entry of a step only if a reply of the store was lost', () => {
    const entries = [...journal, step('b')];
    expect(checkTask(stored(entries), order).map(({ rule }) => rule)).toEqual(['entry-twice']);
    const lost: TaskEvent = { type: 'store', what: 'reply-lost', at: 'after step b' };
    expect(checkTask([lost, ...stored(entries)], order)).toEqual([]);
  });

  it('accepts a question again after a request that failed only if something was lost before', () => {
    const failed: TaskEvent = { type: 'failed', process: c1, why: 'tasks/result: no result' };
    const asAgain = valid.map((event) => (isLike(event, { what: 'killed' }) ? failed : event));
    expect(checkTask(asAgain, order).map(({ rule }) => rule)).toEqual(['question-without-loss']);
    const away: TaskEvent[] = [
      { type: 'store', what: 'killed', at: 'after asked 1' },
      { type: 'store', what: 'started' },
    ];
    expect(checkTask([...away, ...asAgain], order)).toEqual([]);
  });

  it('accepts repeated effects of steps without keys', () => {
    const history = changed({ isFirst: false }, { isFirst: true });
    expect(checkTask(history, { ...order, isKeyed: false })).toEqual([]);
  });
});
