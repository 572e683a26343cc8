/** What programs that read documentation get: `llms.txt`, a list of the pages, and `llms-full.txt`, their texts. */
import { menu } from './reader-order.ts';
import type { SitePage } from './site-pages.ts';

export interface LlmsFiles {
  readonly 'llms.txt': string;
  readonly 'llms-full.txt': string;
}

/** What a user of the library does not need is in the list, and not in the long text. */
const left: ReadonlySet<string> = new Set(['Contribute', 'Compare']);

/** `pages` have the links of the site; each is served as Markdown at its path, too. */
export function llmsFiles(
  about: string,
  base: string,
  pages: readonly SitePage[],
  api: readonly SitePage[],
): LlmsFiles {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const sections = menu.map(({ title, items }) => ({
    title,
    pages: items
      .flatMap((item) => (typeof item === 'string' ? [item] : item.pages))
      .flatMap((source) => bySource.get(source) ?? []),
  }));
  const withApi = [...sections, { title: 'API', pages: api }];
  const lists = withApi.map(({ title, pages: listed }) =>
    [
      `## ${title}`,
      '',
      ...listed.map((page) => `- [${page.title}](${base}${page.path}): ${firstSentenceOf(page.markdown)}`),
    ].join('\n'),
  );
  const texts = sections.filter(({ title }) => !left.has(title)).flatMap(({ pages: listed }) => listed);
  return {
    'llms.txt': `# Tenon\n\n> ${about}\n\nAll pages but the API in one file: [llms-full.txt](${base}llms-full.txt).\n\n${lists.join('\n\n')}\n`,
    'llms-full.txt': `${texts.map(({ path, markdown }) => `<!-- ${base}${path} -->\n\n${markdown.trim()}\n`).join('\n')}`,
  };
}

/** Of the first paragraph below the heading, without marks. */
export function firstSentenceOf(markdown: string): string {
  const paragraph = markdown
    .replace(/^# .*$/m, '')
    .split(/\n\s*\n/)
    .map((each) => each.trim())
    .find((each) => each !== '' && !/^(?:#|\||```|- |\d+\. |---|<!--|!\[)/.test(each));
  const plain = (paragraph ?? '').replaceAll('\n', ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return (/^.+?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
