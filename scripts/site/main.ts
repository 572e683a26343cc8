/** Writes what VitePress builds the site of: pages with the links of the site, the front page, the API reference and site.json. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFigures } from '../docs/figures.ts';
import { apiPages } from './api-pages.ts';
import { firstServer, landing } from './landing.ts';
import { type LinkTargets, rewriteLinks } from './links.ts';
import { llmsFiles } from './llms.ts';
import { playgroundPage, playgroundPath, playgroundServer, playgroundSource } from './playground-page.ts';
import { menu } from './reader-order.ts';
import { recipeFiles } from './recipe-files.ts';
import { type SitePage, sitePages } from './site-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'site/pages');
const [base = '/'] = process.argv.slice(2);

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly repository?: { readonly url: string };
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const repository = manifest.repository?.url.replace(/^git\+|\.git$/g, '');

const found = sitePages(root);
const images = readdirSync(join(root, 'docs/images')).map((name) => `images/${name}`);
const targets: LinkTargets = {
  pages: new Map([...found.map(({ source, path }) => [source, path] as const), [playgroundSource, playgroundPath]]),
  files: new Map([...images, 'guide/policy.schema.json'].map((name) => [`docs/${name}`, name])),
  repository,
};

const pages = found.map((page) => ({ ...page, markdown: textOf(page) }));
const api = apiPages(root).map((page) => ({ ...page, source: '' }));

rmSync(folder, { recursive: true, force: true });
for (const { path, markdown } of [...pages, ...api]) {
  write(path, markdown);
  // For programs: the text of a page is at its path, with `.md` at its end.
  write(`public/${path}`, markdown);
}
write('index.md', landing(readFigures(root)));
write('parts/server.md', firstServer(serverOfReadme()));
write(playgroundPath, playgroundPage());
write('parts/playground.md', playgroundServer(root));
for (const [name, text] of Object.entries(llmsFiles(manifest.description, base, pages, api)))
  write(`public/${name}`, text);
for (const name of images) cpSync(join(root, 'docs', name), join(folder, name));
for (const place of ['', 'public/']) {
  mkdirSync(dirname(join(folder, `${place}guide/policy.schema.json`)), { recursive: true });
  cpSync(join(root, 'docs/guide/policy.schema.json'), join(folder, `${place}guide/policy.schema.json`));
}
cpSync(join(root, 'site/versions.json'), join(folder, 'public/versions.json'));
write(
  '../site.json',
  `${JSON.stringify({ base, version: manifest.version, description: manifest.description, repository, sources: sources(), sidebar: sidebar() }, null, 2)}\n`,
);

function textOf({ source, path, markdown }: SitePage): string {
  const whole = path.startsWith('deploy/') ? markdown + recipeFiles(root, dirname(source)) : markdown;
  const text = rewriteLinks(whole, source, targets);
  const outside = text.replace(/^( *)(`{3,})[\s\S]*?^\1\2`*\s*$/gm, '').replace(/`[^`\n]*`/g, '');
  if (outside.includes('{{')) throw new Error(`${source} has "{{" outside of code: VitePress would evaluate it`);
  return text;
}

function serverOfReadme(): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts[^\n]*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const server = blocks.find((code) => code.includes('serveStdio(server)'));
  if (server === undefined) throw new Error('README.md has no server on stdio: the front page shows it');
  return server;
}

function write(path: string, text: string): void {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

/** The file that a page is edited in, by its path in the site. */
function sources(): Record<string, string> {
  return Object.fromEntries(pages.map(({ path, source }) => [path, source]));
}

/** One menu for the API, and one for all other pages, which leads to it. */
function sidebar(): Record<string, object[]> {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const placeOf = (path: string): string => `/${path.replace(/(?:index)?\.md$/, '')}`;
  const linkOf = (source: string): object => {
    const page = bySource.get(source) as SitePage;
    return { text: page.title, link: placeOf(page.path) };
  };
  const sections = menu.map(({ title, items }) => ({
    text: title,
    items: items.map((item) =>
      typeof item === 'string'
        ? linkOf(item)
        : { ...linkOf(item.home), text: item.title, collapsed: true, items: item.pages.map(linkOf) },
    ),
  }));
  sections[0]?.items.push({ text: 'Playground', link: placeOf(playgroundPath) });
  const entries = api.map(({ path, title }) => ({ text: title, link: placeOf(path) }));
  const toApi = { text: 'API', items: entries.slice(0, 1) };
  return {
    '/api/': [{ text: 'Entry points', items: entries }],
    '/': [...sections.slice(0, -2), toApi, ...sections.slice(-2)],
  };
}
