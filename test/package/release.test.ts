/** A release is refused, with the fix, unless version, changelog, checkout and API report fit together. */
import { describe, expect, it } from 'vitest';
import { breakingOf, releasedIn, unreleasedOf, withRelease } from '../../scripts/release/changelog.ts';
import { type Checkout, releaseProblems } from '../../scripts/release/problems.ts';

const changelog =
  '# Changelog\n\n## Unreleased\n\n- A fix.\n\n## 0.2.0 (date)\n\n**Breaking**\n\n- `connect`\n\n## 0.1.0 (date)\n\n- All.\n';
const broken = changelog.replace('- A fix.', '**Breaking**\n\n- `tool`\n\n**Added**\n\n- `prompt`');
const comparison = {
  base: 'db4de17b60c6',
  page: 'Time beside `db4de17` (`npm run bench -- compare`).\n\n| load |\n| --- |\n| call |\n',
  lastPage: undefined,
};
const good: Checkout = {
  version: '0.2.1',
  present: '0.2.0',
  changelog,
  changed: [],
  outdated: [],
  unannounced: [],
  comparison,
};
const problems = (changes: Partial<Checkout>): string => releaseProblems({ ...good, ...changes }).join(' ');

describe('a release', () => {
  it.each(['0.2.1', '0.3.0', '1.0.0'])('of %s follows 0.2.0', (version) => {
    expect(problems({ version })).toBe('');
  });

  it.each([
    ['a version that is none', { version: 'v1' }, /"v1" is no version/],
    ['a version that was released', { version: '0.2.0' }, /After 0\.2\.0 comes one of 0\.2\.1, 0\.3\.0, 1\.0\.0/],
    ['a version that skips one', { version: '0.4.0' }, /After 0\.2\.0 comes one of/],
    ['a patch that breaks', { version: '0.2.1', changelog: broken }, /under "Breaking": the next version is 0\.3\.0/],
    ['a changelog without entries', { changelog: changelog.replace('- A fix.', '') }, /nothing under "Unreleased"/],
    ['a checkout with changes', { changed: ['src/a.ts'] }, /commit src\/a\.ts/],
    ['a name that is removed', { unannounced: ['tool: const'] }, /under "Breaking" in CHANGELOG\.md: tool: const/],
    ['an API report of before', { outdated: ['server'] }, /api\/server\.txt is not up to date: npm run api/],
    [
      'a page without the comparison',
      { comparison: { ...comparison, page: '' } },
      /no table of this code beside db4de17/,
    ],
  ])('is refused for %s', (_, changes, message) => {
    expect(problems(changes)).toMatch(message);
  });

  it('from 1.0 on needs a major version to break', () => {
    const later = broken.replace('## 0.2.0', '## 1.2.0');
    expect(problems({ version: '1.3.0', changelog: later })).toMatch(/the next version is 2\.0\.0/);
    expect(problems({ version: '2.0.0', changelog: later })).toBe('');
  });

  it('is the version of package.json the first time', () => {
    const first = '# Changelog\n\n## Unreleased\n\n- All.\n';
    expect(problems({ version: '0.1.0', present: '0.1.0', changelog: first })).toBe('');
    expect(problems({ version: '0.2.0', present: '0.1.0', changelog: first })).toMatch(/The first release is 0\.1\.0/);
  });

  it('dates what was not released, and begins anew', () => {
    const after = withRelease(broken, '0.3.0', 'today');
    expect(releasedIn(after)).toEqual(['0.3.0', '0.2.0', '0.1.0']);
    expect(after).toContain('## 0.3.0 (today)\n\n**Breaking**\n\n- `tool`');
    expect([unreleasedOf(after), breakingOf(after), breakingOf(broken)]).toEqual(['', '', '- `tool`']);
  });
});
