/** Connects to a server that is started for it, as well as to whatever can be reached without Node. */
import type { Client } from '../client/client.ts';
import { type Acceptor, connect as connectTo } from '../client/connect.ts';
import { handshakeOnly } from '../client/negotiate.ts';
import type { ConnectOptions } from '../client/options.ts';
import { checkConnectOptions } from '../client/options-check.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import type { RevisionId } from '../protocol/revisions/revisions.ts';
import type { Channel } from '../transport/channel.ts';
import type { Command } from './command.ts';
import { commandLine } from './command-line.ts';
import { createFaultLog } from './fault-log.ts';
import { defaultMaxCharacters } from './pipe-channel.ts';
import { sayLines, startProcess } from './server-process.ts';

/** Connects to a command, to a server in this process, or over a channel. */
export async function connect<S = unknown>(
  target: Command | (S & Acceptor) | Channel,
  options: ConnectOptions = {},
): Promise<Client<S>> {
  if (!isCommand(target)) return connectTo<S>(target, options);
  checkConnectOptions(options);
  try {
    return await attempt<S>(target, options);
  } catch (error) {
    const revisions = exitedEarly(error) ? withoutProbe(options) : undefined;
    if (revisions === undefined) throw error;
    // Some servers die of a request they do not know; without it they may live.
    return attempt<S>(target, { ...options, revisions });
  }
}

const isCommand = (target: unknown): target is Command =>
  typeof target === 'object' && target !== null && 'command' in target && !('accept' in target) && !('send' in target);

const exitedEarly = (error: unknown): boolean => error instanceof TenonError && error.code === 'server-exited';

/** The revisions that need no probe, where there are others that do. */
function withoutProbe({ revisions }: ConnectOptions): RevisionId[] | undefined {
  const accepted = chosenRevisions(revisions);
  const rest = handshakeOnly(accepted);
  return rest.length === 0 || rest.length === accepted.length ? undefined : rest.map(({ id }) => id as RevisionId);
}

/** The first of what a server prints beside the protocol are kept for errors. */
const maxPrinted = 5;

async function attempt<S>(command: Command, options: ConnectOptions): Promise<Client<S>> {
  const { limits = {} } = options;
  const maxCharacters = limits.maxCharacters ?? defaultMaxCharacters;
  const printed: string[] = [];
  const hear = options.fault ?? createFaultLog();
  const fault = (error: Error): void => {
    const isPrinted = error instanceof TenonError && error.code !== 'listener-failed';
    if (isPrinted && printed.length < maxPrinted) printed.push(error.message);
    try {
      hear(error);
    } catch {}
  };
  const server = await startProcess(command, { maxCharacters, printed, fault });
  try {
    return await connectTo<S>(server.channel as S & Channel, {
      ...options,
      fault,
      limits: { ...limits, maxCharacters },
    });
  } catch (error) {
    await server.dismiss(error as Error);
    throw explained(error, command, options, { stdout: printed, stderr: server.lastLines() });
  }
}

interface Heard {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** What went wrong, with what its process has let be seen. */
function explained(error: unknown, command: Command, options: ConnectOptions, { stdout, stderr }: Heard): unknown {
  if (!(error instanceof TenonError)) return error;
  const { cause } = error;
  if (error.code === 'connection-closed' && cause instanceof TenonError) return cause;
  if (error.code !== 'timeout') return error;
  const sent = withoutProbe(options) === undefined ? '' : 'It was sent server/discover, then initialize. ';
  const heard = stdout.length === 0 ? 'It wrote nothing to its standard output.' : `It wrote: ${stdout.join(' ')}`;
  return new TenonError(
    'timeout',
    `${commandLine(command)} did not answer: ${error.message} ${sent}${heard} ${sayLines(stderr)}`,
    {
      hint: 'Check that it is a server for standard input and output, and that it prints nothing but messages there.',
      details: { ...error.details, stderr, stdout },
      cause: error,
    },
  );
}
