/** The ledger counts what the specification asks for and believes only passing tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idsInName, mentionedIds, merged, provedIds } from '../../scripts/ledger/named-ids.ts';
import { type Row, rowsOf } from '../../scripts/ledger/rows.ts';
import { missingKeys, pinnedKeys, summarize, unknownIds } from '../../scripts/ledger/summary.ts';
import { summaryOf, tableOf } from '../../scripts/ledger/table.ts';

const requirements = new URL('../../spec/requirements/', import.meta.url);
const allRows = readdirSync(requirements).flatMap((name) =>
  rowsOf(name.replace('.yaml', ''), readFileSync(new URL(name, requirements), 'utf8')),
);

const row = (key: string, extra: Partial<Row> = {}): Row => ({
  key,
  revision: '2026-07-28',
  area: 'http',
  counted: true,
  ofHost: false,
  author: undefined,
  ...extra,
});
const test = (title: string, status = 'passed', ancestorTitles: string[] = []) => ({ title, status, ancestorTitles });
const report = (...tests: ReturnType<typeof test>[]) => ({ testResults: [{ assertionResults: tests }] });

describe('rows', () => {
  it('counts 731 rows, by revision 8, 24, 15, 278 and 406', () => {
    const counted = allRows.filter((each) => each.counted);
    const perRevision = new Map<string, number>();
    for (const { revision } of counted) perRevision.set(revision, (perRevision.get(revision) ?? 0) + 1);
    expect(Object.fromEntries(perRevision)).toEqual({
      '2024-11-05': 8,
      '2025-03-26': 24,
      '2025-06-18': 15,
      '2025-11-25': 278,
      '2026-07-28': 406,
    });
    expect(counted).toHaveLength(731);
  });

  it('gives every row a key of its own', () => {
    expect(new Set(allRows.map((each) => each.key)).size).toBe(allRows.length);
  });

  it('puts the revision behind the id where a file lists differences only', () => {
    const text = '- { id: s-x-01, area: x, who: both, level: MUST, testable: wire, change: different }';
    expect(rowsOf('2025-06-18', text)[0]?.key).toBe('s-x-01@2025-06-18');
    expect(rowsOf('2025-11-25', text)[0]?.key).toBe('s-x-01');
  });

  it.each([
    ['level: SHOULD, who: both, testable: wire', false],
    ['level: MUST NOT, who: client, testable: unit', true],
    ['level: MUST, who: host, testable: wire', false],
    ['level: MUST, who: both, testable: manual', false],
    ['level: MUST, who: both, testable: wire, change: absent', false],
    ['level: MUST, who: both, testable: wire, role: authorization-server', false],
  ])('judges "%s" as counted: %s', (fields, counted) => {
    expect(rowsOf('2026-07-28', `entries: [{ id: e-x-01, area: x, ${fields} }]`)[0]?.counted).toBe(counted);
  });
});

describe('ids in names', () => {
  it('reads one id, several ids, ids with a revision and seed rows', () => {
    expect(idsInName('answers [e-http-12]')).toEqual(['e-http-12']);
    expect(idsInName('answers [s-base-07@2025-06-18, S20 ext-tasks-01] and [S01]')).toEqual([
      's-base-07@2025-06-18',
      'S20',
      'ext-tasks-01',
      'S01',
    ]);
  });

  it('leaves other brackets alone and keeps a misspelt id', () => {
    expect(idsInName('reads items[0] of [a, b]')).toEqual([]);
    expect(idsInName('answers [e-http12]')).toEqual(['e-http12']);
  });

  it('believes passed tests, their describe titles included, and no id that a failed test names too', () => {
    const run = report(
      test('a [e-http-01]', 'passed', ['block [S20]']),
      test('b [e-http-02]', 'failed'),
      test('c [e-http-03]', 'skipped'),
      test('d [e-http-02 e-http-04]'),
    );
    expect([...provedIds(run)].sort()).toEqual(['S20', 'e-http-01', 'e-http-04']);
    expect([...mentionedIds(run)].sort()).toEqual(['S20', 'e-http-01', 'e-http-02', 'e-http-03', 'e-http-04']);
  });
});

describe('reports of several tiers', () => {
  it('prove what one of them proves, unless another has a failing test for it', () => {
    const fast = report(test('a [e-http-01]'), test('b [e-http-02]'));
    const system = report(test('c [e-http-03]'), test('all of b [e-http-02]', 'failed'));
    expect([...provedIds(merged([fast, system]))]).toEqual(['e-http-01', 'e-http-03']);
    expect(mentionedIds(merged([fast, system])).size).toBe(3);
  });
});

describe('summary', () => {
  const rows = [
    row('e-a-01'),
    row('e-a-02'),
    row('e-a-03', { author: 'its text' }),
    row('e-a-04', { counted: false }),
    row('e-a-00', { counted: false, ofHost: true }),
  ];

  it('keeps counted, author and other rows, and those of hosts, apart', () => {
    const summary = summarize(rows, new Set(['e-a-00', 'e-a-01', 'e-a-03', 'e-a-04', 'S02']));
    expect(summary).toMatchObject({
      total: 3,
      proved: ['e-a-01'],
      ofHost: ['e-a-00'],
      other: ['e-a-04'],
      seeds: { proved: ['S02'] },
    });
    expect(summary.author.map((each) => each.key)).toEqual(['e-a-03']);
    expect(summary.seeds.open).toHaveLength(41);
  });

  it('pins counted rows, rows of hosts and seed rows alike, so that the loss of any shows', () => {
    const before = pinnedKeys(summarize(rows, new Set(['e-a-00', 'e-a-01', 'e-a-02', 'e-a-03', 'e-a-04', 'S34'])));
    expect(before).toEqual(['S34', 'e-a-00', 'e-a-01', 'e-a-02']);
    const now = pinnedKeys(summarize(rows, new Set(['e-a-02', 'S02'])));
    expect(missingKeys(before, now)).toEqual(['S34', 'e-a-00', 'e-a-01']);
    expect(missingKeys(now, before)).toEqual(['S02']);
  });

  it('finds ids the ledger does not know', () => {
    expect(unknownIds(rows, new Set(['e-a-01', 'e-a-99', 'S42', 'S43']))).toEqual(['S43', 'e-a-99']);
  });

  it('prints a cell for each area and revision and ends with the count', () => {
    const summary = summarize(rows, new Set(['e-a-01']));
    expect(tableOf(rows, new Set(summary.proved)).map((line) => line.trim().split(/\s+/))).toEqual([
      ['area', '2026-07-28', 'all'],
      ['http', '1/3', '1/3'],
      ['all', '1/3', '1/3'],
    ]);
    expect(summaryOf(summary).slice(-3)).toEqual(['author: 1', 'other: 0', 'ledger: 1 of 3 proved']);
  });
});
