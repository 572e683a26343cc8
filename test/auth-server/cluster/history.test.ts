/** Each rule of a run finds the fault that it is for. */
import { expect, it } from 'vitest';
import { checkHistory, type HistoryEvent, type Rule } from './history.ts';

const exchanged = (status = 200, body = 'first'): HistoryEvent => ({
  type: 'exchanged',
  code: 'c',
  grant: 'g',
  status,
  body,
});
const refreshed = (status = 200, body = 'second', request = 'plain'): HistoryEvent => ({
  type: 'refreshed',
  token: 't',
  grant: 'g',
  request,
  status,
  body,
});
const ended: HistoryEvent = { type: 'ended', grant: 'g' };
const misused: HistoryEvent = { type: 'misused', grant: 'g' };
const verified = (status: number): HistoryEvent => ({ type: 'verified', grant: 'g', status });

const broken: readonly (readonly [Rule, readonly HistoryEvent[]])[] = [
  ['a code is exchanged once', [exchanged(), exchanged(200, 'other')]],
  ['a refresh token gives one response', [refreshed(), refreshed(200, 'other')]],
  ['a refresh token gives one response', [misused, refreshed(), refreshed(200, 'other', 'with a scope')]],
  ['a grant that is not misused is not lost', [exchanged(), refreshed(400)]],
  ['a grant that has ended gives nothing', [exchanged(), ended, refreshed()]],
  ['an access token is valid on all nodes until it is revoked', [exchanged(), verified(401)]],
];

it.each(broken)('finds that %s is broken', (rule, history) => {
  expect(checkHistory(history).map((violation) => violation.rule)).toEqual([rule]);
});

it('finds nothing in a history that keeps the rules', () => {
  const lost = refreshed(400, 'invalid_grant');
  const history = [
    exchanged(),
    refreshed(),
    verified(200),
    refreshed(),
    misused,
    exchanged(400),
    lost,
    ended,
    lost,
    verified(401),
  ];
  expect(checkHistory(history)).toEqual([]);
});
