/** Serves a server on standard input and output, until the client closes them. */

import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import { createLog, type Log, logWarning } from '../../lib/errors/logger.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createWarningLog } from '../../lib/errors/warning-log.ts';
import { indentLines } from '../../lib/text/control-characters.ts';
import type { ServerLike } from '../../server/internals.ts';
import type { Server } from '../../server/server.ts';
import type { AcceptOptions } from '../../server/transport/accept-options.ts';
import type { ConnectionStats } from '../../server/transport/serve-transport.ts';
import type { Store } from '../../store/store.ts';
import { createPipeTransport, type PipeTransport } from '../pipe/pipe-transport.ts';
import { openErrorOutput } from '../process/error-output.ts';
import { checkNode } from '../process/node-version.ts';
import { processWide } from '../process/process-wide.ts';
import { isTaken } from '../process/taken-servers.ts';
import { pingRegularly } from './client-pings.ts';
import type { ServeStdioOptions } from './options.ts';
import { connectionLimits, readStdioOptions, type StdioSettings } from './settings.ts';
import { createShutdown } from './shutdown.ts';
import { guardStdout } from './stdout-guard.ts';
import { StoredConnection } from './stored-connection.ts';

/** A server on standard input and output. */
export interface StdioService {
  /** Current numbers: active calls, and dropped messages. */
  stats(): ConnectionStats;
  /** Pings the client, and rejects if it does not answer. Sessions only. */
  ping(options?: RequestOptions): Promise<void>;
  /** The store in use, if there is one; one that is opened by its URL is there once it is open. */
  readonly store: Store | undefined;
  /** Resolves when the connection has closed; with an error if neither the client nor `close()` closed it. */
  readonly closed: Promise<Error | undefined>;
  /** Rejects new calls, waits for running ones (`timeouts.shutdownMs`), sends their results, closes the connection, and the store if it was opened by its URL. */
  close(): Promise<Error | undefined>;
}

/**
 * Queued characters at which the server stops reading from a client that does not read.
 * @limit stdio
 * @beyond reading continues when the client has read
 */
const holdBackAt = 4 * 1024 * 1024;

/** The minimum time a client has to read some of the last responses. */
const minFlushMs = 1000;

/**
 * Serves a server on standard input and output, until the client closes them; then the process exits. Standard output is
 * reserved for messages: the output of other code goes to standard error.
 *
 * ```ts
 * serveStdio(server);
 * ```
 */
export function serveStdio(server: Pick<Server, 'accept'> & ServerLike, options: ServeStdioOptions = {}): StdioService {
  checkNode();
  if (isTaken({ server, over: 'stdio', options })) return notServed;
  const settings = readStdioOptions(server, options);
  const { maxQueuedChars, maxMessageChars } = settings.limits;
  const { shutdownMs, storeMs, pingIntervalMs } = settings.timeouts;
  const isOwn = settings.stdin === undefined && settings.stdout === undefined;
  const { stdin: input = process.stdin, stdout: output = process.stdout, exitOnClose: exit = isOwn } = settings;
  const releaseStreams = claimStreams(input, output);
  const guard = output === process.stdout ? guardStdout() : undefined;
  const log = settings.logger && createLog(settings.logger);
  const transport = createPipeTransport({
    input,
    output,
    ...(guard && { write: guard.write }),
    maxQueuedChars,
    maxMessageChars,
    strict: settings.strict,
    holdBackAt,
    flushMs: Math.max(shutdownMs, minFlushMs),
    onInputEnd() {
      connection.inputEnded();
      shutdown.inputEnded();
    },
  });
  let connection: StoredConnection;
  try {
    connection = new StoredConnection(server, transport, {
      store: settings.store,
      storeMs,
      log,
      accept: {
        ...acceptOptions(settings),
        onWarning: createOnWarning(transport, settings, log),
      },
    });
  } catch (error) {
    transport.close();
    input.pause();
    guard?.release();
    releaseStreams();
    throw error;
  }

  const drain = (waitMs: number): void => {
    log?.('info', { waitMs }, 'draining');
    connection.close(waitMs);
  };
  const isDisconnected = (): boolean => guard?.isBroken() === true;
  const shutdown = createShutdown({ ownsProcess: isOwn, shutdownMs, isDisconnected, drain });
  const errors = openErrorOutput();
  const stopPings = pingRegularly(connection, pingIntervalMs, transport.close);
  const ended = transport.finished.then(nextTurn).then(async (reason) => {
    shutdown.dispose();
    stopPings();
    // A flowing input would keep the process alive.
    if (isOwn) input.pause();
    guard?.release();
    releaseStreams();
    await connection.release();
    reportEnd(log, reason);
    if (exit) process.exit(reason === undefined ? 0 : 1);
    errors.close();
    return reason;
  });
  return {
    stats: () => connection.stats(),
    ping: (own) => connection.ping(own),
    get store() {
      return connection.store;
    },
    closed: ended,
    close() {
      drain(shutdownMs);
      return ended;
    },
  };
}

/** What a file gets whose server another program took. */
const notServed: StdioService = {
  stats: () => ({ activeCalls: 0, dropped: {} }) as ConnectionStats,
  ping: async () => undefined,
  store: undefined,
  closed: new Promise(() => {}),
  close: async () => undefined,
};

const acceptOptions = ({
  strict,
  authenticate,
  principal,
  tap,
  compat,
  ...settings
}: StdioSettings): AcceptOptions => ({
  strict,
  timeouts: { inputMs: settings.timeouts.inputMs },
  transport: 'pipe',
  limits: connectionLimits(settings),
  ...(authenticate && { authenticate }),
  ...(principal !== undefined && { principal }),
  ...(tap && { tap }),
  ...(compat && { compat }),
});

/** Gives aborted handlers one turn of the event loop to clean up. */
const nextTurn = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));

function reportEnd(log: Log | undefined, reason: Error | undefined): void {
  if (reason !== undefined && log === undefined) return console.error(`tenon: ${indentLines(reason.message)}`);
  if (reason !== undefined && log !== undefined) logWarning(log, reason);
  log?.('info', {}, 'connection ended');
}

function createOnWarning(
  transport: PipeTransport,
  options: StdioSettings,
  log: Log | undefined,
): (error: TenonError) => void {
  const report = options.onWarning ?? (log === undefined ? exceptUnsendable(createWarningLog()) : () => {});
  const limitNoise = createNoiseLimit(
    () => transport.lines,
    (error) => transport.close(error),
  );
  return (error) => {
    limitNoise(error);
    if (log !== undefined) logWarning(log, error);
    // Returned, so that the caller catches a rejected promise.
    return report(error);
  };
}

/** A message that could not be sent goes to the server's `failed`, which writes to standard error itself. */
const exceptUnsendable =
  (write: (error: Error) => void) =>
  (error: Error): void => {
    if (!(error instanceof TenonError && error.code === 'invalid-outgoing-message')) write(error);
  };

/**
 * Lines in a row that are not JSON.
 * @limit stdio
 * @beyond the connection closes
 * @code invalid-json
 */
const maxInRow = 1000;

const unreadable: ReadonlySet<string> = new Set(['invalid-json', 'invalid-utf8']);

/** Returns a function to call with every warning. Valid lines in between show in the number of lines. */
function createNoiseLimit(lines: () => number, close: (error: TenonError) => void): (warning: Error) => void {
  let last = 0;
  let inRow = 0;
  return (warning) => {
    if (!(warning instanceof TenonError) || !unreadable.has(warning.code)) return;
    const line = lines();
    inRow = line === last + 1 ? inRow + 1 : 1;
    last = line;
    if (inRow === maxInRow) close(endlessNoise(warning));
  };
}

const endlessNoise = (cause: TenonError): TenonError =>
  new TenonError('invalid-json', `${maxInRow} lines in a row were not JSON-RPC messages; the connection was closed.`, {
    hint: 'Write one JSON-RPC message per line to standard input.',
    cause,
  });

const claimed = (): WeakSet<object> => processWide('claimed streams', () => new WeakSet());

/** Claims streams, and returns a function that releases them. Throws `already-open` if one of them is in use. */
function claimStreams(...streams: readonly object[]): () => void {
  if (streams.some((stream) => claimed().has(stream))) {
    throw new TenonError('already-open', 'serveStdio(): these streams already serve another connection.', {
      hint: 'Call serveStdio() once per process. Serve a second server on other streams, or mount it in the first.',
    });
  }
  for (const stream of streams) claimed().add(stream);
  return () => {
    for (const stream of streams) claimed().delete(stream);
  };
}
