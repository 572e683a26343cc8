/** Which files of the repository are pages of the site, and their paths there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { menu } from './reader-order.ts';

export interface SitePage {
  /** From the root of the repository: `docs/guide/README.md`. */
  readonly source: string;
  /** From the root of the site: `guide/index.md`. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

/** Pages outside of `docs` that the menu has are below this folder, but for recipes. */
const others = 'repository';

export function pathOf(source: string): string {
  const inDocs = source.replace(/^docs\//, '');
  const recipe = /^examples\/deploy\/([^/]+)\/README\.md$/.exec(source)?.[1];
  if (recipe !== undefined) return `deploy/${recipe}.md`;
  if (inDocs === source) return `${others}/${source.toLowerCase().replaceAll('/', '-')}`;
  return inDocs.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** All pages: those of `docs`, and those outside of it that the menu names. The API reference is generated. */
export function sitePages(root: string): readonly SitePage[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/api/'));
  const named = menu.flatMap(({ items }) => items.flatMap((item) => (typeof item === 'string' ? [item] : item.pages)));
  return [...new Set([...inDocs.sort(), ...named])].map((source) => {
    const markdown = readFileSync(join(root, source), 'utf8');
    return { source, path: pathOf(source), title: titleOf(markdown, source), markdown };
  });
}

function titleOf(markdown: string, source: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`${source} has no heading of the first level: the menu needs its title`);
  return title.replaceAll('`', '');
}
