/** Tests the rules on tasks: a valid history has no violations, and each planted fault is found by its name. */
import { describe, expect, it } from 'vitest';
import { checkHistory } from './check.ts';
import type { HistoryEvent } from './events.ts';
import type { TaskResult } from './task-events.ts';
import { describeViolations, type RuleName, rules } from './violations.ts';

const stored = { type: 'task-stored', node: 'n1', owner: 'ada', entries: [] } as const;
const read = { type: 'task-read', client: 'c1', principal: 'ada' } as const;
const result: TaskResult = { token: 'k', owner: 'ada', steps: { pay: 'v2' }, answers: { name: 'Ann' } };
const done = { status: 'completed', outcome: 'done', result } as const;

/** A task that loses its worker, asks, is answered and read twice; one that is cancelled; and one that ends before its worker wrote. */
const valid: readonly HistoryEvent[] = [
  { ...stored, task: 't', state: 'ready', fence: 0, entries: [{ is: 'call' }] },
  { type: 'task-created', task: 't', client: 'c1', principal: 'ada', token: 'k', idempotencyKey: 'key' },
  { ...stored, task: 't', state: 'running', fence: 1, nonce: 'a' },
  { type: 'step-run', task: 't', key: 'pay', node: 'n1', value: 'v1' },
  { type: 'node', node: 'n1', what: 'killed' },
  { ...stored, task: 't', state: 'running', fence: 2, nonce: 'b', node: 'n2' },
  { type: 'step-run', task: 't', key: 'pay', node: 'n2', value: 'v2' },
  { ...stored, task: 't', state: 'running', fence: 2, nonce: 'b', entries: [{ is: 'step', key: 'pay', text: 'v2' }] },
  { type: 'step-run', task: 't', key: 'mail', node: 'n2', value: 'v3', once: true },
  { ...stored, task: 't', state: 'parked', fence: 2, open: ['1.name'], entries: [{ is: 'asked' }] },
  { ...read, task: 't', since: 9, status: 'input_required', open: ['1.name'] },
  { type: 'task-question', task: 't', client: 'c1', principal: 'ada', question: 'name', owner: 'ada' },
  { ...stored, task: 't', state: 'parked', fence: 2, open: [], entries: [{ is: 'answer', key: '1.name' }] },
  { type: 'task-answered', task: 't', client: 'c1', question: 'name', answer: 'Ann', acknowledged: '1.name' },
  { ...stored, task: 't', state: 'running', fence: 3, nonce: 'c' },
  { ...read, task: 't', since: 14, status: 'working' },
  { ...stored, task: 't', state: 'completed', fence: 4, entries: [{ is: 'result' }] },
  { ...read, task: 't', since: 16, ...done },
  { ...read, task: 't', since: 18, ...done },
  { ...read, task: 't', principal: 'bob', client: 'c2', since: 18, status: 'unknown' },
  { ...stored, task: 'u', owner: 'bob', state: 'ready', fence: 0, entries: [{ is: 'call' }] },
  { type: 'task-created', task: 'u', client: 'c2', principal: 'bob', token: 'm' },
  { type: 'tasks-listed', client: 'c2', principal: 'bob', since: 22, tasks: ['u'] },
  { ...stored, task: 'u', owner: 'bob', state: 'cancelled', fence: 1 },
  { type: 'task-cancelled', task: 'u', client: 'c2' },
  { ...read, task: 'u', principal: 'bob', client: 'c2', since: 25, status: 'cancelled' },
  { ...stored, task: 'v', state: 'ready', fence: 0, entries: [{ is: 'call' }] },
  { ...stored, task: 'v', state: 'running', fence: 1, nonce: 'd', isTaken: true },
  { type: 'task-ending', task: 'v', node: 'n2' },
  { ...stored, task: 'v', state: 'failed', fence: 1, entries: [{ is: 'error' }] },
  { type: 'step-run', task: 'w', key: 'pay', node: 'n1', value: 'v4' },
  { ...stored, task: 'w', state: 'running', fence: 1, nonce: 'e', isUnannounced: true, entries: [{ is: 'call' }] },
  { ...stored, task: 'w', state: 'running', fence: 1, nonce: 'e' },
  { ...stored, task: 'w', state: 'running', fence: 2, nonce: 'f', node: 'n2' },
  { type: 'step-run', task: 'w', key: 'pay', node: 'n2', value: 'v5' },
  { ...stored, task: 'w', state: 'failed', fence: 3, entries: [{ is: 'error' }] },
];

/** The history with the event at a place changed, or with more after it. */
const changed = (at: number, fields: object): HistoryEvent[] =>
  valid.map((event, index) => (index === at ? ({ ...event, ...fields } as HistoryEvent) : event));
const without = (...places: readonly number[]): HistoryEvent[] => valid.filter((_, index) => !places.includes(index));
const extended = (...more: readonly HistoryEvent[]): HistoryEvent[] => [...valid, ...more];

const planted: readonly (readonly [fault: string, history: HistoryEvent[], rule: RuleName])[] = [
  ['a task is gone', changed(18, { status: 'unknown', outcome: undefined, result: undefined }), 'task-lost'],
  ['a task is shown to another principal', changed(19, { status: 'working' }), 'task-of-another-principal'],
  ['a question reaches another principal', changed(11, { principal: 'bob' }), 'task-of-another-principal'],
  ['a list has a task of another principal', changed(22, { tasks: ['u', 't'] }), 'task-of-another-principal'],
  ['a result is that of another call', changed(17, { result: { ...result, token: 'x' } }), 'task-of-another-call'],
  ['an answer is made up', changed(13, { answer: 'Bob' }), 'task-of-another-call'],
  ['a list leaves out a task', changed(22, { tasks: [] }), 'task-not-listed'],
  [
    'a key creates a second task',
    extended({ type: 'task-created', task: 'w', client: 'c1', principal: 'ada', token: 'k', idempotencyKey: 'key' }),
    'two-tasks-for-one-key',
  ],
  [
    'a task goes on whose caller does not know it',
    valid.map((event) =>
      event.type === 'task-stored' && event.task === 'w' ? { ...event, isUnannounced: true } : event,
    ),
    'task-ran-unannounced-twice',
  ],
  [
    'a call runs twice',
    extended(
      { type: 'step-run', task: 'x', key: 'pay', node: 'n1', value: 'v6' },
      { type: 'step-run', task: 'x', key: 'pay', node: 'n1', value: 'v7' },
    ),
    'task-ran-unannounced-twice',
  ],
  ['a task stays as it is', without(23, 25), 'task-never-ended'],
  [
    'a task has two results',
    extended({ ...stored, task: 't', state: 'completed', fence: 5, entries: [{ is: 'result' }] }),
    'task-ended-twice',
  ],
  [
    'a cancelled task completes',
    extended({ ...stored, task: 'u', state: 'completed', fence: 2 }),
    'task-changed-after-end',
  ],
  ['a completed task works again', changed(18, { status: 'working' }), 'task-status-after-end'],
  ['a completed task fails', changed(18, { status: 'failed' }), 'task-status-after-end'],
  ['a result is read that differs from the first', changed(18, { outcome: 'other' }), 'task-result-changed'],
  ['a cancelled task works on', changed(25, { status: 'working' }), 'task-cancel-ignored'],
  ['a late worker writes', changed(7, { nonce: 'a' }), 'task-transition'],
  ['a fence falls', changed(14, { fence: 1 }), 'task-transition'],
  ['a task is parked before a worker has it', without(2, 5, 7), 'task-transition'],
  ['the end of a task that a worker has raises no fence', without(28), 'task-transition'],
  [
    'a step runs again after its entry',
    extended({ type: 'step-run', task: 't', key: 'pay', node: 'n1', value: 'v4' }),
    'step-ran-after-entry',
  ],
  [
    'a step that must not run twice does',
    extended({ type: 'step-run', task: 't', key: 'mail', node: 'n1', value: 'v4', once: true }),
    'step-ran-twice',
  ],
  [
    'a step has a second result',
    changed(9, { entries: [{ is: 'step', key: 'pay', text: 'v1' }] }),
    'step-result-changed',
  ],
  ['a result has a step that is not stored', changed(7, { entries: [] }), 'step-result-changed'],
  ['an answer is asked for again', changed(15, { open: ['1.name'] }), 'task-answer-lost'],
  ['an answer is stored twice', changed(14, { entries: [{ is: 'answer', key: '1.name' }] }), 'task-answer-twice'],
];

describe('the rules on tasks', () => {
  it('find nothing in a valid history [S18]', () => {
    expect(describeViolations(checkHistory(valid))).toBe('');
  });

  it.each(planted)('find that %s [S31]', (_fault, history, rule) => {
    expect(checkHistory(history).map((each) => each.rule)).toContain(rule);
  });

  it('have a planted fault each', () => {
    const ofTasks = Object.keys(rules).filter((name) => /^(task-|step-|two-tasks)/.test(name));
    expect(new Set(planted.map(([, , rule]) => rule))).toEqual(new Set(ofTasks));
  });
});
