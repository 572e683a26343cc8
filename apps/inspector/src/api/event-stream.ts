/** Reads `text/event-stream` chunk by chunk: only the `data` lines count, each event is one JSON text. */

/** Returns the data of the events that a chunk completes. */
export function eventReader(): (chunk: string) => string[] {
  let rest = '';
  return (chunk) => {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    return blocks.map(dataOf).filter((data) => data !== '');
  };
}

const dataOf = (block: string): string =>
  block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
