/** A terminal that reads and prints lines. Piped input is printed too, so that the output is a full transcript. */
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

export interface Terminal {
  print(text: string): void;
  /** The next line of the user, or `undefined` after the last. */
  ask(prompt: string): Promise<string | undefined>;
  close(): void;
}

export function openTerminal(): Terminal {
  const lines = createInterface({ input: stdin });
  const typed: string[] = [];
  const waiting: Array<(line: string | undefined) => void> = [];
  let isClosed = false;
  lines.on('line', (line) => {
    const resolve = waiting.shift();
    if (resolve === undefined) typed.push(line);
    else resolve(line);
  });
  lines.on('close', () => {
    isClosed = true;
    for (const resolve of waiting.splice(0)) resolve(undefined);
  });
  const next = (): Promise<string | undefined> =>
    typed.length > 0 || isClosed ? Promise.resolve(typed.shift()) : new Promise((resolve) => waiting.push(resolve));

  return {
    print: (text) => void stdout.write(`${text}\n`),
    async ask(prompt) {
      stdout.write(prompt);
      const line = await next();
      if (!stdin.isTTY) stdout.write(`${line ?? ''}\n`);
      return line;
    },
    close: () => lines.close(),
  };
}
