/** Relative links in the packed README and the pages packed with it work. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { relativeLinksIn } from '../docs/markdown.ts';

interface Tarball {
  readonly files: readonly { readonly path: string }[];
}

const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, stdio: 'pipe' });
const [tarball] = JSON.parse(listed.toString()) as [Tarball];
const paths = tarball.files.map(({ path }) => path);
const packed = new Set(paths.flatMap((path) => [path, dirname(path)]));

/** The threat model links each row to its test, for readers of the repository. */
const isTestOfThreat = (page: string, target: string): boolean =>
  ['SECURITY.md', 'docs/security.md'].includes(page) && join(dirname(page), target).startsWith('test/');

const linksOf = (page: string): string[] => {
  const links = relativeLinksIn(readFileSync(join(root, page), 'utf8'));
  return links.map((link) => decodeURI(link).split('#')[0] as string).filter((target) => target !== '');
};

it('every relative link of a packed page leads to a packed file', () => {
  const pages = paths.filter((path) => path.endsWith('.md'));
  expect(pages).toContain('README.md');
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((target) => !packed.has(join(dirname(page), target)) && !isTestOfThreat(page, target))
      .map((target) => `${page} links to ${target}: pack it (\`files\` of package.json), or remove the link`),
  );
  expect([...new Set(broken)]).toEqual([]);
});
