/** Reads the code blocks, links and headings of a Markdown page. */

export interface Block {
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** The first word after the fence: `ts`, `text`, `json`. */
  readonly language: string;
  /** The words after it: `no-run`. */
  readonly marks: readonly string[];
  readonly text: string;
  /** The last line of prose before the fence, since the block before. */
  readonly heading: string;
}

interface Page {
  readonly blocks: readonly Block[];
  /** The lines outside the blocks. */
  readonly prose: readonly string[];
}

/** A fence may be indented and have more than three backticks; the closing one has at least as many. */
export function readPage(markdown: string): Page {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let heading = '';
  const lines = markdown.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, indent = '', ticks, words = ''] = /^( *)(`{3,})([^`]*)$/.exec(line) ?? [];
    if (ticks === undefined) {
      prose.push(line);
      if (line.trim() !== '') heading = line.trim();
      continue;
    }
    const end = lines.findIndex((each, at) => at > index && new RegExp(`^ *${ticks}\`*\\s*$`).test(each));
    const stop = end === -1 ? lines.length : end;
    const [language = '', ...marks] = words.trim().split(/\s+/);
    const text = lines
      .slice(index + 1, stop)
      .map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
    blocks.push({ line: index + 1, language, marks, text: text.join('\n'), heading });
    heading = '';
    index = stop;
  }
  return { blocks, prose };
}

export interface Example {
  readonly line: number;
  readonly code: string;
  /** False for a block marked `no-run`, which is only type checked. */
  readonly runs: boolean;
  /** True for a block marked `packages`: it needs packages that only `npm run test:long` installs, and runs there. */
  readonly needsPackages: boolean;
  /** The expected output; undefined if the page has none. */
  readonly prints: string | undefined;
}

/** The `ts` blocks, each with the output block that follows it under a line ending in `prints:`. */
export function examplesIn(markdown: string): Example[] {
  const { blocks } = readPage(markdown);
  return blocks.flatMap((block, index) => {
    if (block.language !== 'ts') return [];
    const next = blocks[index + 1];
    const printed = next !== undefined && /^(?:text|json)$/.test(next.language) && /\bprints:$/i.test(next.heading);
    const runs = !block.marks.includes('no-run');
    const needsPackages = block.marks.includes('packages');
    return [{ line: block.line, code: block.text, runs, needsPackages, prints: printed ? next.text : undefined }];
  });
}

/** The targets of relative links and images. */
export function relativeLinksIn(markdown: string): string[] {
  const prose = readPage(markdown)
    .prose.join('\n')
    .replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...prose.matchAll(/^ *\[[^\]]+\]:\s*<?([^\s>]+)>?/gm)];
  return [...inline, ...defined]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target));
}

/** The anchors of a page's headings, as GitHub derives them. */
export function anchorsIn(markdown: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const line of readPage(markdown).prose) {
    const [, title] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? [];
    if (title === undefined) continue;
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}
