/** Rewrites the links of a page for the site: to other pages by their paths there, to the rest by its address in the repository. */
import { dirname, posix } from 'node:path';

export interface LinkTargets {
  /** The path in the site of a page, by its path in the repository. */
  readonly pages: ReadonlyMap<string, string>;
  /** Copied beside the pages, such as images; by their paths in the repository. */
  readonly files: ReadonlyMap<string, string>;
  /** The address of the repository, without a slash at its end; undefined if it has none. */
  readonly repository: string | undefined;
}

/** The lines of fenced blocks stay as they are, and so does code in a line. */
export function rewriteLinks(markdown: string, source: string, targets: LinkTargets): string {
  let fence: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const ticks = /^ *(`{3,})/.exec(line)?.[1];
      if (ticks !== undefined && (fence === undefined || ticks.length >= fence.length)) {
        fence = fence === undefined ? ticks : undefined;
        return line;
      }
      return fence === undefined ? rewriteLine(line, source, targets) : line;
    })
    .join('\n');
}

const rewriteLine = (line: string, source: string, targets: LinkTargets): string =>
  line.replace(
    /(`[^`]*`)|(!?\[(?:[^\][`]|`[^`]*`)*\])\(([^)\s]+)\)/g,
    (whole, code: string | undefined, text: string, target: string) =>
      code === undefined ? linkOf(text, target, source, targets) : whole,
  );

function linkOf(text: string, target: string, source: string, { pages, files, repository }: LinkTargets): string {
  const whole = `${text}(${target})`;
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(target)) return whole;
  const [path = '', anchor] = decodeURI(target).split('#');
  const place = posix.join(dirname(source), path).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const found = pages.get(place) ?? pages.get(`${place}/README.md`) ?? files.get(place);
  if (found !== undefined) return `${text}(${relativeTo(pages.get(source) ?? source, found)}${hash})`;
  if (place === 'README.md') return `${text}(/)`;
  if (repository !== undefined) return `${text}(${repository}/blob/main/${place}${hash})`;
  // Without an address of the repository, what only it has is named, not linked.
  return text.replace(/^!?\[|\]$/g, '');
}

function relativeTo(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}
