/** Serves on standard input and output for as long as the client keeps them open. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { createLog, type Log, logFault } from '../../jsonrpc/logger.ts';
import type { Connection } from '../../server/channel/serve-channel.ts';
import type { Server } from '../../server/server.ts';
import { takeStreams } from '../pipe/claimed-streams.ts';
import { createPipeChannel, defaultMaxCharacters, type PipeChannel } from '../pipe/pipe-channel.ts';
import { openErrorOutput } from '../process/error-output.ts';
import { createFaultLog } from '../process/warning-log.ts';
import { type ClientWatch, watchClient } from './client-process.ts';
import { createNoiseWatch } from './noise-watch.ts';
import { checkStdioOptions, type ServeStdioOptions } from './options.ts';
import { guardStdout } from './stdout-guard.ts';

export interface StdioService {
  readonly counts: Connection['counts'];
  /** Settles when all is done; with why, where it was neither the client's end nor this side's. */
  readonly ended: Promise<Error | undefined>;
  /** Lets no more calls in, sends the answers of those under way, then ends. */
  close(): Promise<Error | undefined>;
}

/** Characters that may wait for a client that does not read before the server stops reading too. */
const holdBackAt = 4 * 1024 * 1024;
/** For how long a client may take nothing of the last answers, at the least. */
const leastFlushMs = 1000;
/** After the end of input: how often to look whether the client is still there. Its pipes end a moment before it does. */
const orphanMs = 100;

export function serveStdio(server: Pick<Server, 'accept'>, options: ServeStdioOptions = {}): StdioService {
  checkStdioOptions(server, options);
  const { graceMs = 5000, limits = {} } = options;
  const isOwn = options.input === undefined && options.output === undefined;
  const { input = process.stdin, output = process.stdout, exit = isOwn } = options;
  const giveBack = takeStreams(input, output);
  const guard = output === process.stdout ? guardStdout() : undefined;
  const log = options.logger && createLog(options.logger);
  const maxCharacters = limits.maxCharacters ?? defaultMaxCharacters;
  const channel = createPipeChannel({
    input,
    output,
    ...(guard && { write: guard.write }),
    ...(options.maxWaiting !== undefined && { maxWaiting: options.maxWaiting }),
    maxCharacters,
    holdBackAt,
    flushMs: Math.max(graceMs, leastFlushMs),
    inputEnded() {
      connection.unheard();
      leaving.inputEnded();
    },
  });
  let connection: Connection;
  try {
    const fault = createFault(channel, options, log);
    connection = server.accept(channel, { ...options, fault, transport: 'pipe', limits: { ...limits, maxCharacters } });
  } catch (error) {
    channel.close();
    input.pause();
    guard?.release();
    giveBack();
    throw error;
  }

  log?.('info', {}, 'connection opened');
  const leave = (waitMs: number): void => {
    log?.('info', { waitMs }, 'draining');
    void connection.close(waitMs);
  };
  const leaving = createLeaving(isOwn && guard ? watchClient(guard.isBroken) : undefined, graceMs, leave);
  const errors = openErrorOutput();
  const ended = channel.finished.then(oneTurn).then((reason) => {
    leaving.over();
    // An input that flows would keep a process that wants to go on by itself, or to end by itself.
    if (isOwn) input.pause();
    guard?.release();
    giveBack();
    tellEnd(log, reason);
    if (exit) process.exit(reason === undefined ? 0 : 1);
    errors.close();
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

/** What was given up at the end has a turn of the loop to clean up. */
const oneTurn = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));

function tellEnd(log: Log | undefined, reason: Error | undefined): void {
  if (reason !== undefined && log === undefined) return console.error(`tenon: ${reason.message}`);
  if (reason !== undefined && log !== undefined) logFault(log, reason);
  log?.('info', {}, 'connection ended');
}

function createFault(channel: PipeChannel, options: ServeStdioOptions, log: Log | undefined): (error: Error) => void {
  const tell = options.fault ?? (log === undefined ? unsaid(createFaultLog()) : () => {});
  const watch = createNoiseWatch(
    () => channel.lines,
    (error) => channel.close(error),
  );
  return (error) => {
    watch(error);
    if (log !== undefined) logFault(log, error);
    // What it gives goes on to whoever guards against what it throws.
    return tell(error);
  };
}

/** What could not be sent is told to the server's `failed`, which writes it to standard error by itself. */
const unsaid =
  (write: (error: Error) => void) =>
  (error: Error): void => {
    if (!(error instanceof TenonError && error.code === 'invalid-outgoing')) write(error);
  };

const signals = ['SIGINT', 'SIGTERM'] as const;

/** What a server on the process's own streams is told to leave by. */
interface Leaving {
  inputEnded(): void;
  /** It has left. */
  over(): void;
}

/** `hasGone` is of the client of a process that serves on its own streams; another has neither its signals nor its input. */
function createLeaving(hasGone: ClientWatch | undefined, graceMs: number, leave: (waitMs: number) => void): Leaving {
  let told: 'nothing' | 'end of input' | 'signal' = 'nothing';
  let orphan: NodeJS.Timeout | undefined;

  /** The first asks for a clean end; after the end of input nobody waits for answers, and what is under way is aborted. */
  function hear(_name: NodeJS.Signals, number: number): void {
    if (told === 'signal') process.exit(128 + number);
    leave(told === 'end of input' ? 0 : graceMs);
    told = 'signal';
  }
  /** Nobody waits for the answers of a client that was killed. */
  function lookForClient(): void {
    if (hasGone?.() !== true) return;
    clearInterval(orphan);
    leave(0);
  }

  if (hasGone !== undefined) for (const name of signals) process.on(name, hear);
  return {
    inputEnded() {
      if (told === 'nothing') told = 'end of input';
      leave(graceMs);
      if (hasGone !== undefined) orphan = setInterval(lookForClient, orphanMs);
    },
    over() {
      clearInterval(orphan);
      for (const name of signals) process.off(name, hear);
    },
  };
}
