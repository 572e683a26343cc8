/** Runs a command of the command line as it is typed, in this process, and collects what it prints. */

import type { Io } from '../../src/cli/io/io.ts';
import { run } from '../../src/cli/run.ts';

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function typed(line: string | readonly string[], own: Partial<Io> = {}): Promise<Printed> {
  const args = typeof line === 'string' ? line.split(' ') : line;
  let out = '';
  let err = '';
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    canAsk: false,
    columns: 80,
    hasColor: false,
    env: { HOME: '/nowhere' },
    cwd: new URL('./fixtures', import.meta.url).pathname,
    signal: new AbortController().signal,
    now: Date.now,
    readInput: async () => '',
    ...own,
  };
  const code = await run(args.slice(1), io, '9.9.9');
  return { code, out, err };
}
