/** A release is refused unless docs/performance.md has a table beside the commit that comparisons start from. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Comparison, comparisonProblems } from '../../scripts/release/comparison.ts';

const base = 'db4de17b60c6fbd752edc6cd79069f00a804a6f4';
const table = (figure: string): string => `| load | db4de17 |\n| --- | ---: |\n| call | ${figure} |\n`;
const page = (figure: string): string =>
  `## Beside the base\n\nTime of a call beside \`db4de17\` (\`npm run bench -- compare\`), in µs.\n\n${table(figure)}\n## Sizes\n`;
const good: Comparison = { base, page: page('6.2'), lastPage: undefined };
const problems = (changes: Partial<Comparison>): string => comparisonProblems({ ...good, ...changes }).join(' ');

describe('the table beside the base', () => {
  it('is there', () => {
    expect(problems({})).toBe('');
  });

  it('is another one than that of the last release', () => {
    expect(problems({ lastPage: page('6.1') })).toBe('');
    expect(problems({ lastPage: page('6.2') })).toMatch(/is that of the last release: run "npm run bench -- compare"/);
  });

  it.each([
    ['a page without it', { page: `## Sizes\n\n${table('1')}` }],
    ['a table of another section', { page: page('6.2').replace(table('6.2'), '').concat(table('6.2')) }],
    ['a table without rows', { page: page('6.2').replace('| call | 6.2 |\n', '') }],
    ['a table beside another commit', { base: '3bf7cbfe0000000000000000000000000000000f' }],
  ])('is not in %s', (_, changes) => {
    expect(problems(changes)).toMatch(/docs\/performance\.md has no table of this code beside [0-9a-f]{7}: run "npm/);
  });

  it('has the introduction that the benchmark prints', () => {
    const printed = readFileSync(new URL('../../bench/compare/compare.mjs', import.meta.url), 'utf8');
    expect(printed).toContain('beside \\`${name}\\` (\\`npm run bench -- compare\\`)');
  });
});
