/** Finds the Markdown pages of this repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/source-tree.ts';

export interface MarkdownPage {
  /** From the root of the repository. */
  readonly path: string;
  readonly markdown: string;
}

/** Dependencies and build output; `pages` are those of the site, written from these. */
const foreign = new Set(['node_modules', 'dist', '.git', '.tenon', 'coverage', 'api', 'pages']);

/** Every Markdown page outside of dependencies and build output. */
export function allPages(folder = ''): MarkdownPage[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return foreign.has(entry.name) ? [] : allPages(path);
    return entry.name.endsWith('.md') ? [{ path, markdown: readFileSync(join(root, path), 'utf8') }] : [];
  });
}

/** The pages whose examples are run: README.md, docs/*.md and docs/guide/*.md. */
export const guidePages = (): MarkdownPage[] =>
  allPages().filter(({ path }) => path === 'README.md' || /^docs\/(?:guide\/)?[^/]+\.md$/.test(path));
