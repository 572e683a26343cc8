/** The parts of the site before it is built: its menu, its links, its lists for programs, its front page. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readFigures } from '../../scripts/docs/figures.ts';
import { landing } from '../../scripts/site/landing.ts';
import { type LinkTargets, rewriteLinks } from '../../scripts/site/links.ts';
import { firstSentenceOf, llmsFiles } from '../../scripts/site/llms.ts';
import { menu } from '../../scripts/site/reader-order.ts';
import { sitePages } from '../../scripts/site/site-pages.ts';
import { root } from '../architecture/source-tree.ts';
import { anchorsIn } from '../docs/markdown.ts';

const pages = sitePages(root);
const named = menu.flatMap(({ items }) => items.flatMap((item) => (typeof item === 'string' ? [item] : item.pages)));

it('the menu has each page of docs once, but those that a table of contents has', () => {
  const listed = /^docs\/(?:decisions\/(?!README)|guide\/limits\/)/;
  expect(named).toHaveLength(new Set(named).size);
  const missing = pages.filter(({ source }) => !listed.test(source) && !named.includes(source));
  expect(missing.map(({ source }) => `${source}: add it to scripts/site/reader-order.ts`)).toEqual([]);
});

it('every page has a path of its own', () => {
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
});

const targets: LinkTargets = {
  pages: new Map([
    ['docs/guide/http.md', 'guide/http.md'],
    ['docs/guide/README.md', 'guide/index.md'],
    ['examples/deploy/docker/README.md', 'deploy/docker.md'],
    ['CHANGELOG.md', 'repository/changelog.md'],
  ]),
  files: new Map([['docs/images/a.png', 'images/a.png']]),
  repository: undefined,
};
const rewritten = (markdown: string, more: Partial<LinkTargets> = {}): string =>
  rewriteLinks(markdown, 'docs/guide/http.md', { ...targets, ...more });

it.each([
  ['[a](README.md#in-order)', '[a](./index.md#in-order)'],
  ['[a](../../examples/deploy/docker)', '[a](../deploy/docker.md)'],
  ['[a](../../CHANGELOG.md)', '[a](../repository/changelog.md)'],
  ['![a](../images/a.png)', '![a](../images/a.png)'],
  ['[a](#here) [b](https://a.example/b)', '[a](#here) [b](https://a.example/b)'],
  ['`[a](README.md)` [`b`](README.md)', '`[a](README.md)` [`b`](./index.md)'],
  ['```md\n[a](README.md)\n```\n[b](README.md)', '```md\n[a](README.md)\n```\n[b](./index.md)'],
  ['see [the tests](../../test/a.test.ts).', 'see the tests.'],
])('rewrites the link in %j', (markdown, expected) => {
  expect(rewritten(markdown)).toBe(expected);
});

it('links what only the repository has once it has an address', () => {
  const link = rewritten('[a](../../test/a.test.ts)', { repository: 'https://code.example/tenon' });
  expect(link).toBe('[a](https://code.example/tenon/blob/main/test/a.test.ts)');
});

it('lists every page of the menu for programs, each with what it is about', () => {
  const { 'llms.txt': list, 'llms-full.txt': full } = llmsFiles('About', '/v0.1/', pages, []);
  expect(list.match(/^- \[/gm)).toHaveLength(named.length);
  expect(list).toContain('](/v0.1/guide/quickstart.md): ');
  expect(list).not.toMatch(/\): *$/m);
  expect(full).toContain('<!-- /v0.1/guide/http.md -->');
});

it('takes the first sentence of the first paragraph', () => {
  const sentences = ['# T\n\nOne [link](a.md) of v1.2. Two.', '# T\n\n| a |\n| - |\n\nIt is:\n\n- x'].map(
    firstSentenceOf,
  );
  expect(sentences).toEqual(['One link of v1.2.', 'It is.']);
});

it('the front page has the figures of docs/figures.json, and no others', () => {
  const figures = readFigures(root);
  const page = landing(figures);
  const text = JSON.stringify(figures);
  const numbers = [...(page.split('## Measured')[1] ?? '').matchAll(/\d+(?:\.\d+)?(?= %)/g)].map(([number]) => number);
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers.filter((number) => !text.includes(`: ${number}`) && !text.includes(`:${number}`))).toEqual([]);
});

it('a link to no page and one to no heading are found in a built site', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, html: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), html);
  };
  write('index.html', '<a href="/guide/a.html#one">a</a><a href="./guide/">b</a><a href="https://a.example">c</a>');
  write('guide/index.html', '<a class="x" href="/guide/a.html#two">a</a><a href="b.html">b</a><a href="#here">c</a>');
  write('guide/a.html', '<h2 id="one">One</h2>');
  const module: string = join(root, 'scripts/site/dead-links.mjs');
  const { deadLinks } = (await import(module)) as { deadLinks: (folder: string) => string[] };
  expect(deadLinks(folder)).toEqual([
    'guide/index.html: /guide/a.html#two: the page has no such heading',
    'guide/index.html: b.html: no such page',
    'guide/index.html: #here: the page has no such heading',
  ]);
});

it('the anchors of the site are those of GitHub', async () => {
  const { createAnchors } = await import('../../scripts/site/headings.ts');
  const anchor = createAnchors();
  const titles = ['The `call`, again!', 'Errors', 'Errors', 'What `a.b` is'];
  const markdown = titles.map((title) => `## ${title}`).join('\n\n');
  expect(titles.map(anchor)).toEqual([...anchorsIn(markdown)]);
});
