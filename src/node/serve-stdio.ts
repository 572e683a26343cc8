/** Serves on standard input and output for as long as the client keeps them open. */
import type { Readable, Writable } from 'node:stream';
import type { Connection, ServeOptions } from '../server/duplex.ts';
import type { Server } from '../server/server.ts';
import { createFaultLog } from './fault-log.ts';
import { createPipeChannel, defaultMaxBytes } from './pipe-channel.ts';
import { guardStdout } from './stdout-guard.ts';

export interface ServeStdioOptions
  extends Pick<ServeOptions, 'strict' | 'limits' | 'maxInFlight' | 'answerTimeoutMs' | 'replay' | 'fault'> {
  /** Read and written in place of the process's own streams, which are then left alone. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** How long calls under way may take to end once the client has gone or a signal came. Default 5 s. */
  readonly graceMs?: number;
  /** Whether the process exits when all is done. Default: yes, on its own streams. */
  readonly exit?: boolean;
}

export interface StdioService {
  readonly counts: Connection['counts'];
  /** Settles when all is done; with why, where it was neither the client's end nor this side's. */
  readonly ended: Promise<Error | undefined>;
  /** Lets no more calls in, sends the answers of those under way, then ends. */
  close(): Promise<Error | undefined>;
}

/** Characters that may wait for a client that does not read before the server stops reading too. */
const holdBackAt = 4 * 1024 * 1024;
/** After the end of input: when to look whether the parent is still there. Its pipes end a moment before it does. */
const orphanMs = 100;

export function serveStdio(server: Pick<Server, 'accept'>, options: ServeStdioOptions = {}): StdioService {
  const { graceMs = 5000, limits = {} } = options;
  const isOwn = options.input === undefined && options.output === undefined;
  const { input = process.stdin, output = process.stdout, exit = isOwn } = options;
  const guard = output === process.stdout ? guardStdout() : undefined;
  const parent = process.ppid;
  const maxCharacters = limits.maxCharacters ?? defaultMaxBytes;
  const fault = options.fault ?? createFaultLog();
  const channel = createPipeChannel({
    input,
    output,
    ...(guard && { write: guard.write }),
    maxBytes: maxCharacters,
    holdBackAt,
    inputEnded() {
      leave(graceMs);
      if (isOwn) orphan = setTimeout(leaveOrphaned, orphanMs);
    },
  });
  const connection = server.accept(channel, { ...options, fault, limits: { ...limits, maxCharacters } });

  let orphan: NodeJS.Timeout | undefined;
  /** Nobody waits for the answers of a parent that was killed. */
  function leaveOrphaned(): void {
    if (process.ppid !== parent) leave(0);
  }

  function leave(waitMs: number): void {
    void connection.close(waitMs);
  }

  const stopSignals = isOwn ? onSignals(() => leave(graceMs)) : (): void => {};
  const ended = channel.finished.then((reason) => {
    stopSignals();
    clearTimeout(orphan);
    // An input that flows would keep a process that wants to go on by itself, or to end by itself.
    if (isOwn) input.pause();
    guard?.release();
    if (reason !== undefined) console.error(`tenon: ${reason.message}`);
    if (exit) process.exit(reason === undefined ? 0 : 1);
    return reason;
  });
  return {
    counts: connection.counts,
    ended,
    close() {
      leave(graceMs);
      return ended;
    },
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The first signal asks for a clean end; the second is obeyed at once. */
function onSignals(leave: () => void): () => void {
  let told = false;
  const hear = (_name: NodeJS.Signals, number: number): void => {
    if (told) process.exit(128 + number);
    told = true;
    leave();
  };
  for (const name of signals) process.on(name, hear);
  return () => {
    for (const name of signals) process.off(name, hear);
  };
}
