/** Bold, dim and colored text, where the terminal has colors. Other control sequences are escaped. */
// Not by name: an older Node, which has no styleText, would fail here instead of being named.
import util from 'node:util';
import { escapeControls } from '../../lib/text/control-characters.ts';
import type { Io } from '../io/io.ts';

export interface Style {
  title(text: string): string;
  dim(text: string): string;
  bad(text: string): string;
  good(text: string): string;
}

export function styleFor({ hasColor }: Pick<Io, 'hasColor'>): Style {
  const styled =
    (format: Parameters<typeof util.styleText>[0]) =>
    (text: string): string =>
      hasColor ? util.styleText(format, text, { validateStream: false }) : text;
  return { title: styled('bold'), dim: styled('dim'), bad: styled('red'), good: styled('green') };
}

/** The sequences of the styles above, line breaks and tabs. */
const escape = '\u001b';
const ownControls = new RegExp(`(${escape}\\[(?:1|2|22|31|32|39)m|[\\n\\t])`);

/** What a command prints has texts of servers: they must not move the cursor of a terminal, or write to its title. */
export const safeText = (text: string): string =>
  text
    .split(ownControls)
    .map((part, index) => (index % 2 === 0 ? escapeControls(part) : part))
    .join('');
