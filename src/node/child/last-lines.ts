/** The last lines of a text that streams by, bounded, for whoever has to tell why a process ended. */

export interface LastLines {
  push(chunk: Buffer): void;
  /** Nothing more comes: a last line needs no line end. */
  end(): void;
  /** The last lines, one that is not finished included. */
  read(): readonly string[];
}

const maxLines = 20;
/** Characters of a line that is kept. */
const maxKept = 1000;
/** Characters of a line that is handed on. */
const maxHeard = 64 * 1024;

/** Hands on every finished line as well, where somebody wants to hear them. */
export function createLastLines(line?: (text: string) => void): LastLines {
  const { StringDecoder } = process.getBuiltinModule('node:string_decoder');
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  let open = '';
  function finish(piece: string): void {
    const text = cut(withoutReturn(open + piece), maxHeard);
    open = '';
    lines.push(cut(text, maxKept));
    if (lines.length > maxLines) lines.shift();
    line?.(text);
  }
  return {
    push(chunk) {
      const pieces = decoder.write(chunk).split('\n');
      const last = pieces.pop() ?? '';
      for (const piece of pieces) finish(piece);
      open = cut(open + last, maxHeard);
    },
    end() {
      const rest = decoder.end();
      if (open !== '' || rest !== '') finish(rest);
    },
    read: () => (open === '' ? [...lines] : [...lines, cut(open, maxKept)]),
  };
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const cut = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most));
