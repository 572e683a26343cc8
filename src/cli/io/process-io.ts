/** The streams and the environment of this process. */
import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { Io } from './io.ts';

/** Exits with 130 at the second Ctrl+C, if the first one did not end the command. */
export function processIo(): Io {
  const { stdout, stderr, stdin, env } = process;
  const interrupted = new AbortController();
  process.on('SIGINT', () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort(new Error('Interrupted.'));
  });
  // A reader such as `head` may close early.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const isTerminal = stdout.isTTY === true;
  return {
    out: (line) => void stdout.write(line),
    err: (line) => void stderr.write(line),
    isTerminal,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    get columns() {
      return stdout.columns ?? 80;
    },
    hasColor: env.FORCE_COLOR !== undefined || (isTerminal && env.NO_COLOR === undefined && env.TERM !== 'dumb'),
    env,
    cwd: process.cwd(),
    signal: interrupted.signal,
    now: Date.now,
    readInput: () => text(stdin),
  };
}
