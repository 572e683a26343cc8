/** The site: VitePress over the pages that `scripts/site` has written. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { smallCode } from './small-code.mjs';

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { base, version, description, repository, sources, sidebar } = read('../site.json');

const menu = fileURLToPath(new URL('theme/MenuInBrowser.vue', import.meta.url));

/** As GitHub derives them: the links of the pages are written for both. */
const slugify = (title) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%233451b2'/%3E%3Cpath d='M3 4h10v3h-3v5H6V7H3z' fill='%23fff'/%3E%3C/svg%3E";

export default defineConfig({
  title: 'Tenon',
  description,
  lang: 'en',
  base,
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  head: [['link', { rel: 'icon', href: icon }]],
  // Parts are shown by the theme.
  srcExclude: ['public/**', 'parts/**'],
  metaChunk: true,
  markdown: {
    // Pages are plain Markdown: what looks like a tag is text.
    html: false,
    attrs: { leftDelimiter: '{:', rightDelimiter: ':}' },
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [smallCode],
    image: { lazyLoading: true },
  },
  vite: { resolve: { alias: [{ find: /^\.\/VPSidebarGroup\.vue$/, replacement: menu }] } },
  transformPageData(page) {
    const source = sources[page.relativePath];
    return source === undefined ? { frontmatter: { ...page.frontmatter, editLink: false } } : { filePath: source };
  },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: 'auto' } },
    outline: { level: [2, 3] },
    sidebar,
    version,
    // Older versions are below the root, as `/v0.1/`.
    root: base.replace(/v\d+\.\d+\/$/, ''),
    nav: [
      { text: 'Start', link: '/guide/quickstart' },
      { text: 'Playground', link: '/playground/' },
      { text: 'Guide', link: '/guide/' },
      { text: 'API', link: '/api/' },
      { text: 'Compare', link: '/comparison' },
    ],
    ...(repository !== undefined && {
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'The repository' }],
    }),
    footer: { message: 'MIT licensed' },
  },
});
