/** Tables of text, cut to the width of the terminal. */
import { stripVTControlCharacters } from 'node:util';

const gap = 2;

/** A longer cell is shown whole, and moves what is behind it: others are not padded to its width. */
export const maxPadded = 80;

/** Columns as wide as their longest cell; the last one gets what is left. */
export function textTable(rows: readonly (readonly string[])[], columns: number): string {
  // Not as arguments: a function takes no more of them than the stack holds.
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: count }, (_, index) =>
    Math.min(
      maxPadded,
      rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), 0),
    ),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0);
  const lastWidth = Math.max(columns - before, 20);
  return rows
    .map((row) =>
      row
        .map((cell, index) =>
          index === count - 1
            ? cut(oneLine(cell), lastWidth)
            : `${padded(oneLine(cell), widths[index] ?? 0)}${' '.repeat(gap)}`,
        )
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** Servers may put line breaks into names and descriptions. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const widthOf = (text: string): number => stripVTControlCharacters(oneLine(text)).length;

/** Styles have no width. */
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(width - widthOf(text), 0));

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;
