/** Relative links in the packed README and the pages packed with it lead to a packed file, or to one that only the repository has. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { relativeLinksIn } from '../docs/markdown.ts';
import { packedFiles } from './packed-files.ts';

const { files: paths } = packedFiles();
const packed = new Set(paths.flatMap((path) => [path, dirname(path)]));

/** Left out of the package on purpose; README.md and docs/guide/README.md mention it. A folder ends in a slash. */
const inRepositoryOnly = [
  'docs/decisions/',
  'docs/guide/deploying.md',
  'docs/guide/limits/',
  'docs/guide/serverless.md',
  'docs/guide/store-contents.md',
  'docs/guide/writing-a-driver.md',
  'docs/images/',
  'apps/',
  'examples/',
  'bench/README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docs/before-you-adopt.md',
  'docs/checklist.md',
  'docs/contributing.md',
  'docs/comparison.md',
  'docs/comparison-cli.md',
  'docs/comparison-inspector.md',
  'docs/connection.md',
  'docs/dialects.md',
  'docs/known-gaps.md',
  'docs/performance.md',
  'docs/performance-clients.md',
  'docs/performance-sizes.md',
  'docs/revisions.md',
  'docs/security.md',
  'docs/versioning.md',
  'docs/words.md',
];
const isAt = (path: string, place: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);
const isLeftOut = (path: string): boolean => inRepositoryOnly.some((place) => isAt(path, place));

/** The threat model links each row to its test, for readers of the repository. */
const isTestOfThreat = (page: string, target: string): boolean => page === 'SECURITY.md' && target.startsWith('test/');

const linksOf = (page: string): string[] => {
  const links = relativeLinksIn(readFileSync(join(root, page), 'utf8'));
  const targets = links.map((link) => decodeURI(link).split('#')[0] as string).filter((target) => target !== '');
  return targets.map((target) => join(dirname(page), target));
};

describe('the packed pages', () => {
  const pages = paths.filter((path) => path.endsWith('.md'));

  it('link to packed files, and to files that are left out on purpose', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/errors.md', 'docs/guide/README.md']));
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((target) => !packed.has(target) && !isLeftOut(target) && !isTestOfThreat(page, target))
        .map((target) => `${page} links to ${target}: pack it (\`files\` of package.json), or remove the link`),
    );
    expect([...new Set(broken)]).toEqual([]);
  });

  it('are packed without what only contributors read', () => {
    expect(paths.filter(isLeftOut)).toEqual([]);
  });

  it('are packed without tests, scripts and reports; templates have tests of their own', () => {
    const outside = /(?:^|\/)(?:test|scripts|bench|api|packages|node_modules)\/|\.test\.[a-z]+$/;
    expect(paths.filter((path) => outside.test(path) && !path.startsWith('templates/'))).toEqual([]);
  });

  it.each(['README.md', 'docs/guide/README.md'])('%s mentions where the other links work', (page) => {
    expect(readFileSync(join(root, page), 'utf8')).toMatch(
      /without images, examples, decisions, measurements, tables of limits, drivers of stores, known gaps, versions and changes: links to .* work in the repository/,
    );
  });
});
