/** The list of expected failures holds in both directions, so that it can only shrink. */
import { describe, expect, it } from 'vitest';
import { type Check, expectedOf, type Scenario, summarize } from '../../scripts/conformance/summary.ts';

const check = (status: Check['status'], id = 'a-check'): Check => ({ id, status, errorMessage: 'it is so' });
const scenario = (name: string, ...statuses: Check['status'][]): Scenario => ({
  revision: '2026-07-28',
  name,
  checks: statuses.map((status) => check(status)),
});
const expected = { '2026-07-28': { tasks: 'not there yet' } };

describe('A run of the suite', () => {
  it('passes when every scenario has a success and no complaint', () => {
    const summary = summarize([scenario('tools', 'SUCCESS', 'INFO'), scenario('prompts', 'SUCCESS', 'SKIPPED')], {});
    expect(summary).toEqual({ lines: [], passed: 2, failed: 0, ok: true });
  });

  it.each(['FAILURE', 'WARNING'] as const)('fails on a %s that is not expected, and names the check', (status) => {
    const summary = summarize([scenario('tools', 'SUCCESS', status)], {});
    expect(summary).toMatchObject({ passed: 0, failed: 1, ok: false });
    expect(summary.lines).toContain('FAILED  2026-07-28 tools: a-check: it is so');
  });

  it('lets pass what is expected to fail, and says why', () => {
    const summary = summarize([scenario('tasks', 'FAILURE'), scenario('tools', 'SUCCESS')], expected);
    expect(summary).toMatchObject({ passed: 1, failed: 1, ok: true });
    expect(summary.lines).toEqual(['FAILED  2026-07-28 tasks: expected: not there yet']);
  });

  it('fails when what is expected to fail passes', () => {
    const summary = summarize([scenario('tasks', 'SUCCESS')], expected);
    expect(summary).toMatchObject({ passed: 1, failed: 0, ok: false });
  });

  it('fails when what is expected to fail is never run', () => {
    expect(summarize([scenario('tools', 'SUCCESS')], expected)).toMatchObject({ passed: 1, failed: 0, ok: false });
  });

  it('fails on a scenario that left no results', () => {
    const broken: Scenario = { revision: '2026-07-28', name: 'tools', checks: undefined };
    expect(summarize([broken], {})).toMatchObject({ passed: 0, failed: 1, ok: false });
  });

  it('counts a scenario in which nothing is judged neither way', () => {
    const summary = summarize([scenario('tools', 'SKIPPED')], {});
    expect(summary).toMatchObject({ passed: 0, failed: 0, ok: true });
    expect(summary.lines).toHaveLength(1);
  });
});

it('what is listed for a revision, or for one in front of another, is expected of every run of it', () => {
  const runs = ['2026-07-28 to 2025-11-25 by HTTP', '2026-07-28 to 2026-07-28 by stdio'];
  const listed = { '2026-07-28': { tasks: 'one' }, '2026-07-28 to 2025-11-25': { caching: 'two' } };
  expect(expectedOf(listed, runs)).toEqual({
    '2026-07-28 to 2025-11-25 by HTTP': { tasks: 'one', caching: 'two' },
    '2026-07-28 to 2026-07-28 by stdio': { tasks: 'one' },
  });
  const stale = expectedOf({ '2026-07-2': { tasks: 'of no run' } }, runs);
  expect(summarize([{ revision: runs[0] as string, name: 'tasks', checks: [check('SUCCESS')] }], stale).ok).toBe(false);
});
