/** Tests the checker: a valid history has no violations, and each planted fault is found by its name. */
import { describe, expect, it } from 'vitest';
import { checkHistory } from './check.ts';
import type { HistoryEvent } from './events.ts';
import { createRecorder, readHistory } from './recorder.ts';
import { describeViolations, type RuleName, rules } from './violations.ts';

/** Two principals; a call with an effect, a repeat under a key, a stream that is resumed, an answer, changes, a killed node. */
const valid: readonly HistoryEvent[] = [
  { type: 'node', node: 'n1', what: 'started' },
  { type: 'request', request: 'r1', client: 'c1', principal: 'ada', token: 't1', hasEffect: true },
  { type: 'request', request: 'r2', client: 'c2', principal: 'bob', token: 't2', idempotencyKey: 'k', hasEffect: true },
  { type: 'effect', node: 'n1', principal: 'ada', token: 't1' },
  { type: 'effect', node: 'n1', principal: 'bob', token: 't2', idempotencyKey: 'k' },
  { type: 'result', request: 'r1', token: 't1', owner: 'ada' },
  { type: 'network-fault', client: 'c2', fault: 'cut' },
  { type: 'error', request: 'r2', code: 'outcome-unknown' },
  { type: 'request', request: 'r3', client: 'c2', principal: 'bob', token: 't2', idempotencyKey: 'k', hasEffect: true },
  { type: 'result', request: 'r3', token: 't2', owner: 'bob' },
  { type: 'request', request: 'r4', client: 'c1', principal: 'ada', token: 't4', idempotencyKey: 'k' },
  { type: 'effect', node: 'n2', principal: 'ada', token: 't4', idempotencyKey: 'k' },
  { type: 'stream-opened', stream: 's4', principal: 'ada' },
  { type: 'stream-event', stream: 's4', id: 'a', n: 1, owner: 'ada' },
  { type: 'stream-event', stream: 's4', id: 'b', n: 2, owner: 'ada' },
  { type: 'node', node: 'n2', what: 'killed' },
  { type: 'stream-resumed', stream: 's4', after: 'b' },
  { type: 'stream-event', stream: 's4', id: 'c', n: 3, owner: 'ada' },
  { type: 'stream-event', stream: 's4', id: 'd', n: 4, owner: 'ada' },
  { type: 'stream-closed', stream: 's4', count: 4 },
  { type: 'result', request: 'r4', token: 't4', owner: 'ada' },
  { type: 'request', request: 'r5', client: 'c1', principal: 'ada', token: 't5' },
  { type: 'server-request', request: 'r5', question: 'q5', owner: 'ada' },
  { type: 'answer', question: 'q5', answer: 'blue' },
  { type: 'result', request: 'r5', token: 't5', owner: 'ada', answers: ['blue'] },
  { type: 'listening', listener: 'l1', principal: 'ada', topics: ['x', 'y'] },
  { type: 'change', node: 'n1', topic: 'x', version: 1 },
  { type: 'change-received', listener: 'l1', topic: 'x', version: 1 },
  { type: 'change', node: 'n1', topic: 'y', version: 1 },
  { type: 'change-received', listener: 'l1', topic: 'y' },
  { type: 'listening', listener: 'l2', principal: 'ada', topics: ['x'] },
  { type: 'change', node: 'n1', topic: 'x', version: 2 },
  { type: 'change-received', listener: 'l1', topic: 'x', version: 2 },
  { type: 'changes-missed', listener: 'l2' },
  { type: 'change', node: 'n1', topic: 'z', version: 1, principal: 'bob' },
];

const isAt =
  (wanted: Partial<Record<string, unknown>>) =>
  (event: HistoryEvent): boolean =>
    Object.entries(wanted).every(([name, value]) => (event as unknown as Record<string, unknown>)[name] === value);

const without = (wanted: Partial<Record<string, unknown>>): HistoryEvent[] =>
  valid.filter((event) => !isAt(wanted)(event));

const changed = (wanted: Partial<Record<string, unknown>>, fields: object): HistoryEvent[] =>
  valid.map((event) => (isAt(wanted)(event) ? ({ ...event, ...fields } as HistoryEvent) : event));

const twice = (wanted: Partial<Record<string, unknown>>): HistoryEvent[] =>
  valid.flatMap((event) => (isAt(wanted)(event) ? [event, event] : [event]));

function swapped(one: number, other: number): HistoryEvent[] {
  const history = [...valid];
  const [a, b] = [history[one], history[other]];
  if (a === undefined || b === undefined) throw new Error('No such events');
  [history[one], history[other]] = [b, a];
  return history;
}

const indexOf = (wanted: Partial<Record<string, unknown>>): number => valid.findIndex(isAt(wanted));

const planted: readonly (readonly [fault: string, history: HistoryEvent[], rule: RuleName])[] = [
  ['an answer is dropped', without({ type: 'result', request: 'r1' }), 'no-outcome'],
  [
    'a request has a result and an error',
    [...valid, { type: 'error', request: 'r1', code: 'timeout' }],
    'two-outcomes',
  ],
  [
    'an outcome comes from nowhere',
    [...valid, { type: 'error', request: 'r9', code: 'timeout' }],
    'outcome-without-request',
  ],
  ['an error has no name', changed({ type: 'error', request: 'r2' }, { code: 'internal-error' }), 'unnamed-error'],
  [
    'two results are exchanged',
    changed({ type: 'result', request: 'r5' }, { token: 't1' }),
    'result-of-another-request',
  ],
  [
    'a key of another principal is used',
    changed({ type: 'result', request: 'r3' }, { owner: 'ada' }),
    'result-of-another-principal',
  ],
  ['a result is made up', without({ type: 'effect', token: 't1' }), 'result-without-effect'],
  ['a call without a key is sent twice', twice({ type: 'effect', token: 't1' }), 'effect-ran-twice'],
  ['an idempotency key is ignored', twice({ type: 'effect', token: 't2' }), 'idempotency-key-ran-twice'],
  [
    'an effect runs as another principal',
    changed({ type: 'effect', token: 't1' }, { principal: 'bob' }),
    'effect-of-another-principal',
  ],
  ['an answer to a question is dropped', changed({ type: 'result', request: 'r5' }, { answers: [] }), 'answer-lost'],
  [
    'an answered call times out',
    [...without({ type: 'result', request: 'r5' }), { type: 'error', request: 'r5', code: 'timeout' }],
    'answer-lost',
  ],
  [
    'an answer reaches another call',
    changed({ type: 'result', request: 'r1' }, { answers: ['blue'] }),
    'answer-of-another-request',
  ],
  [
    'a question reaches another principal',
    changed({ type: 'server-request' }, { owner: 'bob' }),
    'server-request-of-another-principal',
  ],
  ['an append is skipped', without({ type: 'stream-event', n: 1 }), 'stream-event-missing'],
  ['the last event is lost', without({ type: 'stream-event', n: 4 }), 'stream-event-missing'],
  ['two events are swapped', swapped(indexOf({ n: 1 }), indexOf({ n: 2 })), 'stream-event-out-of-order'],
  ['an event is delivered twice', twice({ type: 'stream-event', n: 2 }), 'stream-event-repeated'],
  ['an event is lost on resume', without({ type: 'stream-event', n: 3 }), 'event-lost-on-resume'],
  ['an event is repeated after resume', changed({ n: 3 }, { n: 2 }), 'event-repeated-on-resume'],
  [
    'an event follows the end',
    [...valid, { type: 'stream-event', stream: 's4', n: 5, owner: 'ada' }],
    'event-after-close',
  ],
  ['an event of another principal arrives', changed({ n: 2 }, { owner: 'bob' }), 'event-of-another-principal'],
  ['a stream ends silently', without({ type: 'stream-closed' }), 'stream-ended-silently'],
  [
    'a stream is closed without a reason',
    changed({ type: 'stream-closed' }, { count: undefined }),
    'stream-ended-silently',
  ],
  ['a change is lost', without({ type: 'change-received', topic: 'y' }), 'change-lost'],
  ['an older version is read', changed({ type: 'change-received', version: 2 }, { version: 1 }), 'change-lost'],
  ['the signal for missed changes is lost', without({ type: 'changes-missed' }), 'change-lost'],
  [
    'a change of another principal arrives',
    [
      ...changed({ type: 'listening' }, { topics: ['x', 'y', 'z'] }),
      { type: 'change-received', listener: 'l1', topic: 'z' },
    ],
    'change-of-another-principal',
  ],
  [
    'a change of another topic arrives',
    [...valid, { type: 'change-received', listener: 'l1', topic: 'z' }],
    'change-not-listened-to',
  ],
];

describe('the history checker', () => {
  it('finds nothing in a valid history [S31]', () => {
    expect(describeViolations(checkHistory(valid))).toBe('');
  });

  it.each(planted)('finds that %s [S31]', (_fault, history, rule) => {
    expect(checkHistory(history).map((each) => each.rule)).toContain(rule);
  });

  it('has a planted fault for every rule', () => {
    // Those on tasks have a test of their own.
    const others = Object.keys(rules).filter((name) => !/^(task-|step-|two-tasks)/.test(name));
    expect(new Set(planted.map(([, , rule]) => rule))).toEqual(new Set(others));
  });

  it('accepts an event of a listener that closed, a change before it listened, and a listener that connects again', () => {
    const history: HistoryEvent[] = [
      { type: 'change', node: 'n1', topic: 'x', version: 1 },
      { type: 'listening', listener: 'l', principal: 'ada', topics: ['x'] },
      { type: 'change', node: 'n1', topic: 'x', version: 2 },
      { type: 'listening', listener: 'l', principal: 'ada', topics: ['x'] },
      { type: 'listener-closed', listener: 'l' },
      { type: 'change', node: 'n1', topic: 'x', version: 3 },
    ];
    expect(checkHistory(history)).toEqual([]);
  });

  it('accepts a change that is recorded after its listener has read a later version, and no other', () => {
    const listening: HistoryEvent = { type: 'listening', listener: 'l', principal: 'ada', topics: ['x'] };
    const late = (version: number): HistoryEvent[] => [
      listening,
      { type: 'change-received', listener: 'l', topic: 'x', version: 4 },
      { type: 'change', node: 'n1', topic: 'x', version },
    ];
    expect(checkHistory(late(3))).toEqual([]);
    expect(checkHistory(late(5)).map(({ rule }) => rule)).toEqual(['change-lost']);
  });

  it('reads back what a recorder wrote, without the unfinished last line of a killed process', () => {
    const recorder = createRecorder(() => 7);
    for (const event of valid) recorder.record(event);
    const text = recorder.text();
    expect(readHistory(text)).toEqual(valid.map((event) => ({ at: 7, ...event })));
    expect(readHistory(`${text}{"type":"requ`)).toHaveLength(valid.length);
    expect(checkHistory(readHistory(text))).toEqual([]);
  });
});
