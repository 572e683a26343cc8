/** Relative links in the pages of this repository resolve. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { anchorsIn, relativeLinksIn } from './markdown.ts';
import { allPages, type MarkdownPage } from './pages.ts';

/** The broken links of a page, each with the reason. */
function brokenLinks({ path, markdown }: MarkdownPage): string[] {
  return relativeLinksIn(markdown).flatMap((link) => {
    const [target = '', anchor] = decodeURI(link).split('#');
    const place = target === '' ? path : join(dirname(path), target);
    if (!existsSync(join(root, place))) return [`${path}: ${link}: the file does not exist`];
    if (anchor === undefined || !place.endsWith('.md')) return [];
    const page = target === '' ? markdown : readFileSync(join(root, place), 'utf8');
    return anchorsIn(page).has(anchor) ? [] : [`${path}: ${link}: the heading does not exist`];
  });
}

it('every relative link resolves, headings included', () => {
  const pages = allPages();
  expect(pages.length).toBeGreaterThan(0);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

it('a missing file and a missing heading are detected', () => {
  const markdown = '# A page\n[a](nowhere.md) [b](#a-page) [c](#another) [d](test/docs/links.test.ts)';
  expect(brokenLinks({ path: 'CONTRIBUTING.md', markdown })).toHaveLength(2);
});

it('each recipe of examples/deploy is in the guide, and so is what was tried of it', () => {
  const [table = '', tried = ''] = readFileSync(join(root, 'docs/guide/deploying.md'), 'utf8').split(
    '## What was tried',
  );
  const recipes = readdirSync(join(root, 'examples/deploy'));
  const linked = relativeLinksIn(table).filter((link) => link.startsWith('../../examples/deploy/'));
  expect(linked.map((link) => link.split('/').at(-1)).toSorted()).toEqual(recipes.toSorted());
  // Below the head of the table and its line.
  expect([...tried.matchAll(/^\|/gm)]).toHaveLength(recipes.length + 2);
});
