/** The demo as `npm start` runs it, without npm and the setup. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from '../architecture/source-tree.ts';

export const demoArgs: readonly string[] = ['--import', 'tsx', 'examples/demo/main.ts'];

/** `npm run test:system` sets this, so that tsx reads the built package and not the sources, which takes half the time. */
const { TSX_TSCONFIG_PATH } = process.env;
const built = TSX_TSCONFIG_PATH === undefined ? {} : { TSX_TSCONFIG_PATH };

/** On standard streams, for `connect`. */
export const demoOnStdio = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [...demoArgs, '--stdio'],
  cwd: root,
  env: { ...built, ...env },
});

export interface Demo {
  readonly child: ChildProcess;
  /** Every line printed so far. */
  readonly lines: readonly string[];
  /** What follows that text in the line that starts with it, as soon as it is printed. */
  printed(start: string): Promise<string>;
  errors(): string;
  kill(): Promise<void>;
}

/** Over HTTP on a free port. */
export function startDemo(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Demo {
  const child = spawn(process.execPath, [...demoArgs, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  let ended = false;
  output.on('close', () => {
    ended = true;
  });
  return {
    child,
    lines,
    async printed(start) {
      for (;;) {
        const line = lines.find((line) => line.startsWith(start));
        if (line !== undefined) return line.slice(start.length);
        if (ended) throw new Error(`The demo ended before it printed “${start}”.\n${lines.join('\n')}\n${errors}`);
        await Promise.race([once(output, 'line'), once(output, 'close')]);
      }
    },
    errors: () => errors,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
