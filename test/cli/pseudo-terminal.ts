/** Runs `tenon` on a pseudo-terminal, as a person does: types keys, and waits for what the screen shows. */
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { program } from './program.ts';

export interface PseudoTerminal {
  /** Waits until the screen shows a text after the last one that was waited for. Fails when the program ends before. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** All that was shown, without the codes that drive the terminal. */
  screen(): string;
  readonly exited: Promise<number>;
}

export const keys = {
  enter: '\r',
  down: '\u001b[B',
  space: ' ',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlU: '\u0015',
  tab: '\t',
} as const;

const { command: node, args: words } = program();

/** The words that start `tenon`. */
export const tenonWords: readonly string[] = [node, ...words];

/** Types a line of `tenon` in a folder, which is the home of the person too. */
export const openTerminal = (line: string, folder: string): PseudoTerminal =>
  openProgram([...tenonWords, ...line.split(' ').slice(1)], folder);

export function openProgram([command = '', ...args]: readonly string[], folder: string): PseudoTerminal {
  const child = spawn(command, args, {
    cols: 100,
    rows: 40,
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color' },
  });
  let raw = '';
  let seen = 0;
  let isOver = false;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const screen = (): string => stripVTControlCharacters(raw).replaceAll('\u0007', '');
  child.onData((data) => {
    raw += data;
    changed();
  });
  const exited = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      isOver = true;
      changed();
      resolve(exitCode);
    }),
  );
  return {
    screen,
    exited,
    type: (text) => child.write(text),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = screen().indexOf(text, seen);
          if (at === -1 && !isOver) return;
          listeners.delete(look);
          if (at === -1) return reject(new Error(`${JSON.stringify(text)} was not shown:\n${screen()}`));
          seen = at + text.length;
          resolve();
        };
        listeners.add(look);
        look();
      }),
  };
}
