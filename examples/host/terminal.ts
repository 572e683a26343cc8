/** A terminal: lines in, lines out. What is piped in is shown too, so that the output reads as a transcript. */
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

export interface Terminal {
  say(text: string): void;
  /** The next line of the user; nothing when there are no more. */
  ask(prompt: string): Promise<string | undefined>;
  close(): void;
}

export function openTerminal(): Terminal {
  const lines = createInterface({ input: stdin });
  const typed: string[] = [];
  const waiting: Array<(line: string | undefined) => void> = [];
  let isOver = false;
  lines.on('line', (line) => {
    const hear = waiting.shift();
    if (hear === undefined) typed.push(line);
    else hear(line);
  });
  lines.on('close', () => {
    isOver = true;
    for (const hear of waiting.splice(0)) hear(undefined);
  });
  const next = (): Promise<string | undefined> =>
    typed.length > 0 || isOver ? Promise.resolve(typed.shift()) : new Promise((resolve) => waiting.push(resolve));

  return {
    say: (text) => void stdout.write(`${text}\n`),
    async ask(prompt) {
      stdout.write(prompt);
      const line = await next();
      if (!stdin.isTTY) stdout.write(`${line ?? ''}\n`);
      return line;
    },
    close: () => lines.close(),
  };
}
