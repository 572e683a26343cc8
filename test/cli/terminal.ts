/** Runs a command of the command line as it is typed, in this process, and collects what it prints. */

import { createMemoryTransports } from 'tenon/transport';
import type { Io } from '../../src/cli/io/io.ts';
import { noPrompts } from '../../src/cli/io/prompts.ts';
import { keepCall } from '../../src/cli/keeper/keeper.ts';
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
    reserveOutput: () => undefined,
    exitWhenDone: () => undefined,
    err: (text) => void (err += text),
    isTerminal: false,
    canAsk: false,
    prompts: noPrompts,
    columns: 80,
    hasColor: false,
    env: { HOME: '/nowhere' },
    cwd: new URL('./fixtures', import.meta.url).pathname,
    signal: new AbortController().signal,
    catchInterrupts: () => () => undefined,
    now: Date.now,
    after: () => () => undefined,
    readLine: async () => undefined,
    readInput: async () => '',
    // In this process: a test of its own starts real ones.
    startKeeper: (order) =>
      new Promise((resolve, reject) => {
        keepCall(order, { env: io.env, cwd: io.cwd, now: io.now }, resolve).catch(reject);
      }),
    openStdio: async () => createMemoryTransports()[0],
    ...own,
  };
  const code = await run(args.slice(1), io, '9.9.9');
  return { code, out, err };
}
