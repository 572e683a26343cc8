/** Reads lines that a person types, with history and completion, or lines of standard input where there is no terminal. */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { LineQuestion } from '../io/io.ts';

/**
 * Lines that `repl` brings back.
 * @limit command line
 * @beyond the oldest is forgotten
 */
const maxHistory = 500;

type ReadLine = (question: LineQuestion) => Promise<string | undefined>;

/** Each line has an interface of its own: between two lines, questions read the same keys. */
export function terminalLines(input: Readable, output: Writable): ReadLine {
  let history: string[] = [];
  /** Lines that were pasted at once. */
  const pasted: string[] = [];

  return ({ prompt, complete }) => {
    const next = pasted.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve) => {
      const typed = createInterface({
        input,
        output,
        terminal: true,
        history,
        historySize: maxHistory,
        removeHistoryDuplicates: true,
        completer: async (text: string): Promise<[string[], string]> => {
          const { values, word } = await complete(text);
          // A value follows =, a new word anything else.
          return [values.map((value) => (value.endsWith('=') ? value : `${value} `)), word];
        },
      });
      let line: string | undefined;
      typed.setPrompt(prompt);
      typed.on('history', (lines) => void (history = lines));
      typed.on('line', (text) => {
        if (line === undefined) line = text;
        else pasted.push(text);
        typed.close();
      });
      // Ctrl+C drops what is typed, and leaves if nothing is.
      typed.on('SIGINT', () => {
        if (typed.line === '') return typed.close();
        output.write('^C\n');
        typed.write(null, { ctrl: true, name: 'e' });
        typed.write(null, { ctrl: true, name: 'u' });
      });
      typed.on('close', () => {
        if (line === undefined) output.write('\n');
        resolve(line);
      });
      typed.prompt();
    });
  };
}

/** The lines of a file or a pipe. */
export function pipedLines(input: Readable): ReadLine {
  let lines: AsyncIterator<string> | undefined;
  return async () => {
    lines ??= createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    return done === true ? undefined : value;
  };
}
