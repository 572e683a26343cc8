/** Text in lines that fit the terminal, broken between words. */

/** The narrowest line: a terminal without a width, or a very narrow one, gets longer words whole. */
const leastWidth = 20;

/** The first line begins with `first`, the others with `next`, which have no styles. */
export function wrapped(text: string, columns: number, first = '', next = first): string {
  const width = Math.max(columns, leastWidth + next.length);
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
