/** The last lines of a stream, bounded, for the error about a process that exited. */
import { excerpt } from '../../lib/text/excerpt.ts';

export interface LastLines {
  push(chunk: Buffer): void;
  /** The stream has ended: a last line needs no line break. */
  end(): void;
  /** The last lines, including an unfinished one, as an error quotes them: a server may print its secrets. */
  read(): readonly string[];
}

const maxLines = 20;
/** Characters of a line that an error quotes. */
const maxStored = 1000;
/**
 * Characters of a line of standard error that is passed to the callback.
 * @limit client
 * @beyond it is cut
 */
const maxPassed = 64 * 1024;

/** `onLine` gets every finished line. */
export function createLastLines(onLine?: (text: string) => void): LastLines {
  const { StringDecoder } = process.getBuiltinModule('node:string_decoder');
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  let open = '';
  function finish(piece: string): void {
    const text = cut(withoutReturn(open + piece), maxPassed);
    open = '';
    lines.push(cut(text, 2 * maxStored));
    if (lines.length > maxLines) lines.shift();
    onLine?.(text);
  }
  return {
    push(chunk) {
      const pieces = decoder.write(chunk).split('\n');
      const last = pieces.pop() ?? '';
      for (const piece of pieces) finish(piece);
      open = cut(open + last, maxPassed);
    },
    end() {
      const rest = decoder.end();
      if (open !== '' || rest !== '') finish(rest);
    },
    read: () => (open === '' ? lines : [...lines, open]).map((line) => cut(excerpt(line, maxStored), maxStored)),
  };
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const cut = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most));
