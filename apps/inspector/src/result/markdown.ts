/** Reads Markdown into blocks and spans: the part of it that servers write. Nothing of it is ever HTML. */

export type Span =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Span[])[];
      readonly rows: readonly (readonly (readonly Span[])[])[];
    }
  | { readonly kind: 'rule' };

/** How much of a text is looked at. */
const looksAt = 20_000;

/**
 * Whether a text looks as if it were Markdown. Servers write these texts: no pattern here may look at the same characters
 * again and again, so that a long line takes no longer than its length.
 */
export const isMarkdown = (text: string): boolean =>
  /^#{1,6} \S|^```|^[ \t]*[-*] \S.*\n[ \t]*[-*] \S|\*\*\S[^*\n]*\*\*|\[[^[\]\n]{1,500}\]\(https?:|^\|.*\|\n\|[ :|-]+\|/m.test(
    text.slice(0, looksAt),
  );

const fence = /^\s*```/;
const heading = /^(#{1,6}) +(.*)$/;
const item = /^\s*(?:([-*+])|\d{1,9}[.)]) +(.*)$/;
const rule = /^\s*(?:-{3,}|\*{3,}|_{3,})$/;
const quote = /^\s*> ?(.*)$/;
const tableRow = /^\s*\|(.*)\|$/;
const tableRule = /^\s*\|[\s:|-]+\|$/;

export function readMarkdown(text: string): readonly Block[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const blocks: Block[] = [];
  let at = 0;
  /** Takes lines as long as they match. */
  const take = (pattern: RegExp): RegExpExecArray[] => {
    const taken: RegExpExecArray[] = [];
    for (let match = pattern.exec(lines[at] ?? ''); match !== null; match = pattern.exec(lines[at] ?? '')) {
      taken.push(match);
      at += 1;
    }
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const title = heading.exec(line);
    if (line.trim() === '') at += 1;
    else if (fence.test(line)) {
      let stop = at + 1;
      while (stop < lines.length && !fence.test(lines[stop] ?? '')) stop += 1;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, stop).join('\n') });
      at = stop + 1;
    } else if (title !== null) {
      blocks.push({ kind: 'heading', level: title[1]?.length ?? 1, spans: readSpans(title[2] ?? '') });
      at += 1;
    } else if (rule.test(line)) {
      blocks.push({ kind: 'rule' });
      at += 1;
    } else if (tableRow.test(line) && tableRule.test(lines[at + 1] ?? '')) {
      const [head = [], , ...rows] = take(tableRow).map((match) => cellsIn(match[1] ?? ''));
      blocks.push({ kind: 'table', head, rows });
    } else if (item.test(line)) {
      const items = take(item);
      blocks.push({
        kind: 'list',
        isOrdered: items[0]?.[1] === undefined,
        items: items.map((match) => readSpans(match[2] ?? '')),
      });
    } else if (quote.test(line)) {
      const quoted = take(quote).map((match) => match[1] ?? '');
      blocks.push({ kind: 'quote', spans: readSpans(quoted.join(' ')) });
    } else {
      const start = at;
      do at += 1;
      while (at < lines.length && isPlain(lines[at] ?? ''));
      blocks.push({ kind: 'paragraph', spans: readSpans(lines.slice(start, at).join('\n')) });
    }
  }
  return blocks;
}

const isPlain = (line: string): boolean =>
  line.trim() !== '' && ![fence, heading, item, rule, quote, tableRow].some((pattern) => pattern.test(line));

const cellsIn = (row: string): readonly (readonly Span[])[] => row.split('|').map((cell) => readSpans(cell.trim()));

const spanPattern = /`([^`\n]+)`|\*\*(\S[^*\n]*)\*\*|\*(\S[^*\n]*)\*|\[([^[\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g;

export function readSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(spanPattern)) {
    const [whole, code, strong, em, label, url] = match;
    if (match.index > end) spans.push({ kind: 'text', text: text.slice(end, match.index) });
    end = match.index + whole.length;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else if (em !== undefined) spans.push({ kind: 'em', text: em });
    else if (label !== undefined && isWebUrl(url)) spans.push({ kind: 'link', text: label, url });
    else spans.push({ kind: 'text', text: whole });
  }
  if (end < text.length) spans.push({ kind: 'text', text: text.slice(end) });
  return spans;
}

/** Only these can be links: a URL of a server may be a script. */
export const isWebUrl = (url: string | undefined): url is string =>
  url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url);
