/** Names and what they mean, in two columns. The second is wrapped; on a narrow terminal it stands below the name. */
import { maxPadded } from './table.ts';
import { wrapped } from './wrapped.ts';

const indent = 2;
const gap = 2;
/** How far a text that stands below its name is indented. */
const below = ' '.repeat(6);
/** A narrower second column would have a word or two in each line. */
const leastText = 24;

export type Definition = readonly [name: string, text: string];

/** One entry for each line or more. `paint` styles the names, which have no styles yet. */
export function definitionList(
  rows: readonly Definition[],
  columns: number,
  paint: (name: string) => string = (name) => name,
): string[] {
  const width = Math.min(
    maxPadded,
    rows.reduce((widest, [name]) => Math.max(widest, name.length), 0),
  );
  const isNarrow = columns - indent - width - gap < leastText;
  return rows.flatMap(([name, text]) => {
    const head = ' '.repeat(indent) + name;
    const shown = ' '.repeat(indent) + paint(name);
    if (text === '') return [shown];
    if (isNarrow) return [shown, wrapped(text, columns, below)];
    const begin = `${head.padEnd(indent + width)}${' '.repeat(gap)}`;
    return [shown + wrapped(text, columns, begin, ' '.repeat(begin.length)).slice(head.length)];
  });
}
