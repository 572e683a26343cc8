/** The streams and the environment of this process. */
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { guardStdout } from '../../node/stdio-server/stdout-guard.ts';
import type { Io } from '../io/io.ts';
import { overStatusLine } from '../io/status-line.ts';
import { clackPrompts } from './clack-prompts.ts';
import { pipedLines, terminalLines } from './read-line.ts';

/** Beyond so many characters that the client has not read yet, this process stops reading its messages. */
const maxUnreadChars = 4 * 1024 * 1024;

export interface ProcessIo extends Io {
  /** The command has ended, and `process.exitCode` is set. */
  done(): void;
}

/** Exits with 130 at the second signal, if the first one did not end the command. */
export function processIo(startKeeper: Io['startKeeper']): ProcessIo {
  const { stdout, stderr, stdin, env } = process;
  const realWrite = stdout.write;
  const interrupted = new AbortController();
  let onInterrupt: (() => void) | undefined;
  let exits = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (signal === 'SIGINT' && onInterrupt !== undefined) return onInterrupt();
      if (interrupted.signal.aborted) process.exit(130);
      interrupted.abort(new Error('Interrupted.'));
    });
  // A reader such as `head` may close early.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    stderr.write(`tenon: The result cannot be written: ${error.message}.\n`);
    process.exit(1);
  });
  // Some pseudo-terminals have no size: questions would be drawn with one character on a line.
  if (stderr.columns === 0) Object.assign(stderr, { columns: 80, rows: 24 });
  // The real one, which `reserveOutput` replaces.
  const write = (data: string | Uint8Array, done?: () => void): boolean => realWrite.call(stdout, data, 'utf8', done);
  const isTerminal = stdout.isTTY === true;
  const canAsk = stdin.isTTY === true && stderr.isTTY === true;
  return {
    out: (line) => void write(line),
    reserveOutput: () => void guardStdout('silent'),
    exitWhenDone: () => void (exits = true),
    // What was written before may still be on its way to a pipe.
    done: () => void (exits && write('', () => stderr.write('', () => process.exit()))),
    err: overStatusLine((text) => void stderr.write(text)),
    isTerminal,
    canAsk,
    prompts: clackPrompts(stdin, stderr),
    get columns() {
      return columnsIn(env.COLUMNS) ?? (isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY);
    },
    hasColor: env.FORCE_COLOR !== undefined || (isTerminal && env.NO_COLOR === undefined && env.TERM !== 'dumb'),
    env,
    cwd: process.cwd(),
    signal: interrupted.signal,
    catchInterrupts(listener) {
      onInterrupt = listener;
      return () => void (onInterrupt = undefined);
    },
    now: Date.now,
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    readLine: canAsk ? terminalLines(stdin, stderr) : pipedLines(stdin),
    readInput: () => text(stdin),
    startKeeper,
    async openStdio() {
      const { createPipeTransport } = await import('../../node/pipe/pipe-transport.ts');
      return createPipeTransport({ input: stdin, output: stdout, write, holdBackAt: maxUnreadChars });
    },
  };
}

/** The width that the user sets, as in `COLUMNS=60 tenon call --help`: shells do not export it by themselves. */
function columnsIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
